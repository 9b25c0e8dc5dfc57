import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { PGlite } from "@electric-sql/pglite";
import { connectPostgres, type PostgresDriver } from "../postgres/postgres-driver.ts";

/** A service that a test suite uses, and whether it is available. */
interface FoundService {
  readonly url: string;
  readonly isThere: boolean;
  /** Part of the suite's name: empty when the service is available, else it says what was skipped. */
  readonly note: string;
}

/**
 * Checks whether a service answers. Suites without their service are skipped, under a name that says so.
 *
 * @param variable the environment variable with the service's address.
 * @throws Error when it does not answer and `THREADFOLD_REQUIRE_SERVICES` is 1, so that the suite fails.
 */
export async function findService(variable: string, fallback: string): Promise<FoundService> {
  const url = process.env[variable] ?? fallback;
  const { hostname, port } = new URL(url);
  const isThere = await answers(hostname, Number(port));
  const absence = `nothing answers at ${hostname}:${port}, see ${variable}`;
  if (!isThere && process.env["THREADFOLD_REQUIRE_SERVICES"] === "1") throw new Error(absence);
  return { url, isThere, note: isThere ? "" : ` (skipped: ${absence})` };
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 10_000 });
    const end = (found: boolean) => (): void => {
      socket.destroy();
      resolve(found);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}

/**
 * Finds the PostgreSQL for tests; its role must be allowed to create schemas and roles. Commits do not wait for the
 * server's disk unless a test asks for that: no test crashes the server, and other connections see them at once.
 */
export async function findPostgres({ flushes = false } = {}): Promise<FoundService> {
  const found = await findService("THREADFOLD_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres");
  if (flushes) return found;
  const url = new URL(found.url);
  url.searchParams.set("options", "-c synchronous_commit=off");
  return { ...found, url: url.href };
}

let emptyDatabase: Promise<Blob> | undefined;

/** Returns an empty database in PGlite. The first takes seconds of work to make; others begin with a copy of its files. */
export async function freshPGlite(): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite");
  emptyDatabase ??= PGlite.create().then(async (first) => {
    const files = await first.dumpDataDir("none");
    await first.close();
    return files;
  });
  return PGlite.create({ loadDataDir: await emptyDatabase });
}

/** A schema for one test, and how to drop it. */
export interface TestSchema {
  readonly schema: string;
  readonly drop: () => Promise<void>;
}

/** Returns a schema name that nobody else uses. */
export function freshSchema(driver: PostgresDriver): TestSchema {
  const schema = `threadfold_test_${randomBytes(6).toString("hex")}`;
  return { schema, drop: () => dropSchema(driver, schema) };
}

const DEADLOCK = "40P01";

/**
 * Drops a schema even while the server still executes what a killed client requested: one of the two must then start
 * over.
 */
async function dropSchema(driver: PostgresDriver, schema: string): Promise<void> {
  try {
    await driver.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  } catch (error) {
    if ((error as { code?: unknown }).code !== DEADLOCK) throw error;
    await dropSchema(driver, schema);
  }
}

/** A role like an application's, and an address that signs it in. */
export interface TestRole {
  readonly name: string;
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Creates a role that owns nothing. */
export async function createRole(owner: PostgresDriver, ownerUrl: string): Promise<TestRole> {
  const name = `threadfold_test_${randomBytes(6).toString("hex")}`;
  await owner.script(`CREATE ROLE ${name} LOGIN PASSWORD '${name}' NOSUPERUSER NOBYPASSRLS`);
  const url = new URL(ownerUrl);
  url.username = name;
  url.password = name;
  return {
    name,
    url: url.href,
    drop: async () => owner.script(`DROP OWNED BY ${name}; DROP ROLE ${name}`),
  };
}

/** Returns connections that one test file shares. */
export const connectForTests = (url: string, maxConnections = 10): PostgresDriver =>
  connectPostgres(url, { maxConnections });

/** A server on this machine that implements as much of S3 as the store uses. */
export interface S3Server {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Responses so far, by method and status, such as `PUT 412`. */
  readonly answers: string[];
  /** Makes the next `count` requests fail with a status. */
  failNext(count: number, status: number): void;
  close(): Promise<void>;
}

const PAGE = 2;

/** Starts such a server. It supports conditional writes, lists two keys per page, and checks no credentials. */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const answers: string[] = [];
  let failures = 0;
  let failure = 503;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const status = failures > 0 ? failure : 200;
    if (failures > 0) failures--;
    const done =
      status === 200 ? answer(objects, request, Buffer.concat(chunks), response) : fail(response, status, "SlowDown");
    answers.push(`${request.method} ${done}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    answers,
    failNext: (count, status) => {
      failures = count;
      failure = status;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  objects: Map<string, Buffer>,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): number {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://s3");
  const key = decodeURIComponent(pathname);
  const found = objects.get(key);
  switch (request.method) {
    case "PUT":
      if (request.headers["if-none-match"] === "*" && found !== undefined)
        return fail(response, 412, "PreconditionFailed");
      objects.set(key, body);
      return send(response, 200, "");
    case "GET":
      if (searchParams.get("list-type") === "2") return send(response, 200, listing(objects, key, searchParams));
      return found === undefined ? fail(response, 404, "NoSuchKey") : send(response, 200, found);
    case "HEAD":
      return found === undefined ? send(response, 404, "") : send(response, 200, "", found.length);
    case "DELETE":
      objects.delete(key);
      return send(response, 204, "");
    default:
      return fail(response, 405, "MethodNotAllowed");
  }
}

function listing(objects: Map<string, Buffer>, bucket: string, parameters: URLSearchParams): string {
  const root = bucket.endsWith("/") ? bucket : `${bucket}/`;
  const after = parameters.get("continuation-token") ?? "";
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(root + (parameters.get("prefix") ?? "")))
    .map((key) => key.slice(root.length))
    .filter((key) => key > after)
    .sort();
  const delimiter = parameters.get("delimiter");
  if (delimiter !== null) return folderListing(keys, parameters.get("prefix") ?? "", delimiter, after);
  const shown = keys.slice(0, PAGE);
  const next = keys.length > PAGE ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : "";
  const contents = shown.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("");
  return `<ListBucketResult><IsTruncated>${keys.length > PAGE}</IsTruncated>${next}${contents}</ListBucketResult>`;
}

function folderListing(keys: readonly string[], prefix: string, delimiter: string, after: string): string {
  const ends = keys.map((key) => key.indexOf(delimiter, prefix.length));
  const all = keys.flatMap((key, index) =>
    (ends[index] as number) < 0 ? [] : [key.slice(0, (ends[index] as number) + 1)],
  );
  const folders = [...new Set(all)].filter((folder) => folder > after);
  const shown = folders.slice(0, PAGE);
  const next = folders.length > PAGE ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : "";
  const common = shown.map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`).join("");
  return `<ListBucketResult><IsTruncated>${folders.length > PAGE}</IsTruncated>${next}${common}</ListBucketResult>`;
}

function fail(response: ServerResponse, status: number, code: string): number {
  return send(response, status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);
}

function send(response: ServerResponse, status: number, body: string | Buffer, length = body.length): number {
  response.writeHead(status, { "content-length": length, "content-type": "application/xml" }).end(body);
  return status;
}

/** A server on this machine that accepts connections but does not answer. */
export interface SilentServer {
  readonly port: number;
  close(): Promise<void>;
}

/** @param halfAnswer its response to the first bytes it receives, before it falls silent. */
export async function startSilentServer(halfAnswer = ""): Promise<SilentServer> {
  const { server, port, close } = await listen((socket) => {
    socket.once("data", () => void (halfAnswer !== "" && socket.write(halfAnswer)));
  });
  server.unref();
  return { port, close };
}

/** A proxy to a server that can stop forwarding data. */
export interface SilencingProxy extends SilentServer {
  /** Stops forwarding, in either direction, or resumes. */
  silence(isSilent: boolean): void;
  /** Falls silent as soon as this was requested: the request still arrives, but its answer is lost. */
  loseAnswerTo(asked: string): void;
}

/** Starts such a proxy in front of a server on this machine. */
export async function startSilencingProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<SilencingProxy> {
  let isSilent = false;
  let fatal: string | undefined;
  const { port, close } = await listen((socket) => {
    const beyond = connect(target);
    socket.on("data", (chunk) => {
      if (!isSilent) beyond.write(chunk);
      if (fatal !== undefined && chunk.includes(fatal)) isSilent = true;
    });
    beyond.on("data", (chunk) => void (isSilent || socket.write(chunk)));
    for (const [one, other] of [
      [socket, beyond],
      [beyond, socket],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => void (isSilent || other.destroy()));
  });
  const silence = (silent: boolean): void => {
    [isSilent, fatal] = [silent, undefined];
  };
  return { port, close, silence, loseAnswerTo: (asked) => void (fatal = asked) };
}

async function listen(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createTcpServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => undefined));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { server, port: (server.address() as AddressInfo).port, close };
}
