import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on this machine that speaks as much of S3 as the store does. */
export interface S3Server {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Requests so far, by method and status, such as `PUT 412`. */
  readonly answers: string[];
  /** Makes the next so many requests fail with a status. */
  failNext(count: number, status: number): void;
  close(): Promise<void>;
}

const PAGE = 2;

/** Starts one. It takes conditional writes, gives pages of two keys, and knows no credentials. */
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
  const shown = keys.slice(0, PAGE);
  const next = keys.length > PAGE ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : "";
  const contents = shown.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("");
  return `<ListBucketResult><IsTruncated>${keys.length > PAGE}</IsTruncated>${next}${contents}</ListBucketResult>`;
}

function fail(response: ServerResponse, status: number, code: string): number {
  return send(response, status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);
}

function send(response: ServerResponse, status: number, body: string | Buffer, length = body.length): number {
  response.writeHead(status, { "content-length": length, "content-type": "application/xml" }).end(body);
  return status;
}
