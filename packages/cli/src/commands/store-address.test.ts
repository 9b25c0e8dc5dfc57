import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { connectPostgres } from "@threadfold/stores/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressName, addressWord } from "../store/store-address.ts";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { json, Workbench } from "../testing/workbench.ts";

/** A database of the tests' PostgreSQL server. */
interface TestDatabase {
  /** Its address, with a password: the server's, or one that the server does not ask for. */
  readonly url: string;
  readonly password: string;
  drop(): Promise<void>;
}

const SERVER = process.env["THREADFOLD_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";

/**
 * Checks whether the PostgreSQL of the tests answers.
 *
 * @throws Error when it does not and `THREADFOLD_REQUIRE_SERVICES` is 1, so that the suite fails.
 */
async function isPostgresThere(): Promise<boolean> {
  const { hostname, port } = new URL(SERVER);
  const isThere = await answers(hostname, Number(port || 5432));
  if (!isThere && process.env["THREADFOLD_REQUIRE_SERVICES"] === "1")
    throw new Error(`Nothing answers at ${hostname}:${port}, see THREADFOLD_POSTGRES_URL.`);
  return isThere;
}

/** Creates a database, and drops it afterwards: the command's tables have a fixed schema. */
async function createDatabase(): Promise<TestDatabase> {
  const server = connectPostgres(SERVER, { maxConnections: 1 });
  const name = `threadfold_test_${randomBytes(6).toString("hex")}`;
  await server.script(`CREATE DATABASE ${name}`);
  const url = new URL(SERVER);
  url.pathname = name;
  if (url.password === "") url.password = "S3cretPw99";
  return {
    url: url.href,
    password: url.password,
    drop: async () => {
      await server.script(`DROP DATABASE ${name} WITH (FORCE)`);
      await server.close();
    },
  };
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

const MOST_TRIES = 5;

/**
 * Runs a command again if no connection came about in time: a machine under load may hold this process up for longer
 * than a connection is awaited, and its timer then ends before the server's answer is read.
 */
async function connected<Run>(run: () => Promise<Run>, tries = MOST_TRIES): Promise<Run> {
  const result = await run();
  const isLate = JSON.stringify(result).includes("due to connection timeout");
  return isLate && tries > 1 ? connected(run, tries - 1) : result;
}

const bench = new Workbench();
const isThere = await isPostgresThere();

describe.skipIf(!isThere)(`a store on a server${isThere ? "" : " (skipped: no PostgreSQL answers)"}`, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  it("is named by every command that names it without its password, wherever its address came from", async () => {
    const { url, password } = database;
    const session = bench.file("session.json", openAiSession(LONG));
    const imported = await connected(() => json(["import", session, "--store", url]));
    const { threadId } = imported.envelope.data as { threadId: string };
    const explained = await connected(() => json(["search", threadId, "leak", "--store", url]));
    const { hits } = explained.envelope.data as { hits: { messageId: string }[] };
    const messageId = hits[0]?.messageId ?? "";
    const printed: string[] = [];
    for (const argv of [
      ["import", session],
      ["compact", session, "--budget", "8000"],
      ["explain", threadId, messageId],
      ["render", threadId],
      ["context", threadId],
      ["threads"],
      ["verify"],
      ["doctor"],
    ])
      for (const [from, run] of [
        ["--store", await connected(() => captureRun([...argv, "--store", url]))],
        ["the environment", await connected(() => captureRun(argv, { env: { THREADFOLD_STORE: url } }))],
      ] as const) {
        expect(run.code, `${argv[0]} with ${from}: ${run.stderr}`).toBe(0);
        printed.push(run.stdout + run.stderr);
      }
    const all = printed.join("\n");
    expect(all).not.toContain(password);
    expect(all).toContain(` in ${new URL(url).protocol}//${new URL(url).hostname}${new URL(url).pathname}: `);
    expect(all).toContain(`threadfold replay ${threadId} --store "$THREADFOLD_STORE"`);
    expect(all).toContain(`--text --store "$THREADFOLD_STORE"`);
  });

  it("is said not to exist when the server has no such database, by name and without its password", async () => {
    const { url, password } = database;
    const absent = `${url}_absent`;
    const session = bench.file("session.json", openAiSession());
    const { protocol, hostname, pathname } = new URL(absent);
    for (const argv of [["threads"], ["import", session], ["compact", session], ["inspect"]]) {
      const where = argv[0] === "inspect" ? [absent] : ["--store", absent];
      const { code, envelope } = await connected(() => json([...argv, ...where]));
      expect([code, envelope.error?.code, envelope.error?.message], argv[0]).toEqual([
        ...[7, "STORE_UNAVAILABLE", `There is no database ${protocol}//${hostname}${pathname}.`],
      ]);
      expect(envelope.error?.hint).toContain("createdb");
    }
    const { stdout, code } = await connected(() => captureRun(["doctor", "--store", absent]));
    expect([code, stdout]).toEqual([7, expect.stringContaining("There is no such database")]);
    expect(stdout).not.toContain(password);
  });
});

it("an address of a kind that no store has is refused with those that are understood, and its password is not repeated", async () => {
  const session = bench.file("session.json", openAiSession());
  for (const kind of ["mysql", "redis", "https", "S3"]) {
    const address = `${kind}://app:S3cretPw99@db.example/agents`;
    for (const argv of [
      ["threads", "--store", address],
      ["context", "--store", address],
      ["verify", "--store", address],
      ["import", session, "--store", address],
      ["compact", session, "--store", address],
      ["inspect", address, "--out", bench.path("page.html")],
      ["proxy", "--store", address],
    ]) {
      const { code, envelope } = await json(argv);
      expect([code, envelope.error?.code], `${argv[0]} ${kind}`).toEqual([2, "INVALID_CONFIG"]);
      expect(envelope.error?.hint).toBe("Use memory:, sqlite:PATH, the path of a file, or postgres://…");
      expect(JSON.stringify(envelope)).not.toContain("S3cretPw99");
    }
    const doctor = await captureRun(["doctor", "--store", address]);
    expect([doctor.code, doctor.stdout]).toEqual([7, expect.stringContaining("Use memory:, sqlite:PATH")]);
    expect(doctor.stdout + doctor.stderr).not.toContain("S3cretPw99");
  }
});

it("the name of an address has no password, however it is written, and a file is called by its path", () => {
  for (const address of [
    "postgres://app:S3cretPw99@db.example:5432/agents?sslmode=require",
    "POSTGRESQL://app:S3cretPw99@db.example/agents",
    "postgres://app:12/S3cretPw99@db.example/agents",
    "postgres://app:a b/S3cretPw99@db.example/agents",
    "postgres://db.example/agents?user=app&password=S3cretPw99",
    "postgres:///agents?host=/run&password=S3cretPw99",
    "mysql://app:S3cretPw99@db.example/agents",
  ])
    expect(addressName(address) + addressWord(address), address).not.toMatch(/S3cret|app/);
  expect(addressName("postgres://app:x@db.example:5432/agents")).toBe("postgres://db.example/agents");
  for (const path of ["threads.db", "/srv/threads.db", "sqlite:threads.db", "sqlite:///srv/threads.db", "memory:"])
    expect([addressName(path), addressWord(path)]).toEqual([path, path]);
});
