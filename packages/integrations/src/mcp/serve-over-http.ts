import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { ThreadfoldError } from "@threadfold/core";
import type { ThreadHttpHandler } from "./thread-http-handler.ts";
import { report } from "./tool-failure.ts";

/** Where the server answers; every other path is 404. */
export const MCP_PATH = "/mcp";

const LOOPBACK = "127.0.0.1";

/** How requests are listened for. */
export interface HttpListenOptions {
  /** Port of the loopback; 0 takes a free one. */
  readonly port: number;
  /** Ends the service. */
  readonly signal: AbortSignal;
  /** Called once requests are answered, with the address for clients. */
  readonly onListening?: (url: string) => void;
  readonly onError?: (error: unknown) => void;
}

/**
 * Answers requests on the loopback until the signal is aborted. For anything that is to be reached from other machines,
 * mount the handler in a web server that speaks TLS.
 *
 * @throws ThreadfoldError `USAGE` when the port cannot be listened on.
 */
export async function serveThreadOverHttp(handler: ThreadHttpHandler, options: HttpListenOptions): Promise<void> {
  const { port, signal, onListening, onError } = options;
  if (signal.aborted) return;
  const server = createServer((request, response) => {
    answer(handler, request, response).catch((error: unknown) => {
      report(error, onError);
      response.destroy();
    });
  });
  await listen(server, port);
  onListening?.(`http://${LOOPBACK}:${(server.address() as AddressInfo).port}${MCP_PATH}`);
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve(), { once: true });
  await aborted.promise;
  await handler.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

async function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, LOOPBACK, resolve);
  try {
    await promise;
  } catch (cause) {
    throw new ThreadfoldError("USAGE", `Port ${port} of the loopback cannot be listened on.`, {
      hint: "Another program may use it. Name another port, or 0 for a free one.",
      cause,
    });
  }
}

async function answer(handler: ThreadHttpHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = webRequest(incoming, outgoing);
  if (request === null || new URL(request.url).pathname !== MCP_PATH) {
    outgoing.writeHead(request === null ? 400 : 404).end();
    return;
  }
  const response = await handler.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
}

/** The request as the web has it; null when it names no address. */
function webRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request | null {
  const { method = "GET", url = "/", headers } = incoming;
  const host = headers.host ?? "";
  if (!URL.canParse(url, `http://${host}`)) return null;
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, `http://${host}`), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as unknown as globalThis.ReadableStream, duplex: "half" }),
  });
}
