import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ThreadfoldError } from "@threadfold/core";
import { type Piece, parsePieceName, pieceText } from "@threadfold/inspection";
import { isLoopbackHost, isSameToken, LOOPBACK, serveOnLoopback } from "@threadfold/integrations/loopback";
import { SerialQueue } from "@threadfold/session";
import type { InspectedThread } from "./inspected-thread.ts";

/** How often the store is checked for growth of the thread while a page is open, in milliseconds. */
const POLL_MS = 1_000;

const zip = promisify(gzip);

/** Options for serving an inspection. */
export interface ServingOptions {
  /** Port on the loopback interface; 0 picks a free one. */
  readonly port: number;
  readonly signal: AbortSignal;
  /** The page, which requests its content from this server. */
  readonly page: string;
  readonly onListening: (url: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves a thread on the loopback interface until the signal is aborted: the page, its pieces, the raw log, and events
 * while the thread grows. Requests without the random path, or addressed to another host name, are answered with 404.
 *
 * @throws ThreadfoldError `USAGE` when the port cannot be listened on.
 */
export async function serveInspection(inspected: InspectedThread, options: ServingOptions): Promise<void> {
  const served = new ServedInspection(inspected, options);
  const server = createServer((request, response) => {
    served.answer(request, response).catch((error: unknown) => {
      // The content was erased after the thread was read; the page learns this with the next event.
      if (ThreadfoldError.isInstance(error) && error.code === "CONTENT_ERASED") return end(response, 410);
      options.onError(error);
      response.destroy();
    });
  });
  await serveOnLoopback(server, {
    port: options.port,
    signal: options.signal,
    onListening: (port) => options.onListening(served.url(port)),
    onEnding: () => served.close(),
  });
}

/** Headers of every response: no caching, no type sniffing, and no display in a frame of another page. */
const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
} as const;

class ServedInspection {
  readonly #inspected: InspectedThread;
  readonly #options: ServingOptions;
  readonly #token = randomBytes(24).toString("base64url");
  readonly #listeners = new Set<ServerResponse>();
  /** Reading pieces and growing the thread run one at a time, so that everything served is consistent. */
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;

  constructor(inspected: InspectedThread, options: ServingOptions) {
    this.#inspected = inspected;
    this.#options = options;
  }

  url(port: number): string {
    return `http://${LOOPBACK}:${port}/${this.#token}/`;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = this.#nameAsked(request);
    if (name === null) return end(response, 404);
    if (request.method !== "GET" && request.method !== "HEAD") return end(response, 405);
    if (name === "events") return this.#listenTo(response);
    if (name === "") return send(response, "text/html; charset=utf-8", Buffer.from(this.#options.page));
    if (name === "log") return this.#sendLog(response);
    const piece = parsePieceName(name);
    if (piece === null || piece.kind === "log") return end(response, 404);
    const text = await this.#text(piece);
    return text === null ? end(response, 404) : sendZipped(response, "application/json", Buffer.from(text));
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.end();
  }

  /** The path after the token; null for a request that is not authorized. */
  #nameAsked({ url = "", headers }: IncomingMessage): string | null {
    if (!isLoopbackHost(headers.host)) return null;
    const [, token = "", name = ""] = /^\/([^/?#]+)\/([\w-]*)$/.exec(url) ?? [];
    return isSameToken(token, this.#token) ? name : null;
  }

  async #text(piece: Exclude<Piece, { kind: "log" }>): Promise<string | null> {
    const { inspection } = this.#inspected;
    try {
      if (piece.kind !== "search") return await this.#queue.run(() => pieceText(inspection, piece));
      // Searching a long thread takes time: it starts in the queue but finishes outside, so that the page stays up to
      // date.
      const { text } = await this.#queue.run(async () => ({ text: pieceText(inspection, piece) }));
      return await text;
    } catch (error) {
      if (ThreadfoldError.isInstance(error) && error.code === "USAGE") return null;
      throw error;
    }
  }

  async #sendLog(response: ServerResponse): Promise<void> {
    return send(response, "application/octet-stream", await this.#inspected.rawLog());
  }

  #listenTo(response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
    response.write(": open\n\n");
    this.#listeners.add(response);
    response.once("close", () => this.#listeners.delete(response));
    this.#timer ??= setTimeout(() => this.#poll(), POLL_MS);
  }

  #poll(): void {
    this.#grow()
      .catch(this.#options.onError)
      .finally(() => {
        this.#timer = this.#listeners.size > 0 ? setTimeout(() => this.#poll(), POLL_MS) : undefined;
      });
  }

  async #grow(): Promise<void> {
    const { inspection } = this.#inspected;
    if (!(await this.#queue.run(() => inspection.refresh()))) return;
    const event = `data: ${JSON.stringify(inspection.size)}\n\n`;
    for (const listener of this.#listeners) listener.write(event);
  }
}

const end = (response: ServerResponse, status: number): void => void response.writeHead(status, HEADERS).end();

function send(response: ServerResponse, type: string, body: Uint8Array): void {
  response.writeHead(200, { ...HEADERS, "content-type": type }).end(body);
}

async function sendZipped(response: ServerResponse, type: string, body: Uint8Array): Promise<void> {
  response.writeHead(200, { ...HEADERS, "content-type": type, "content-encoding": "gzip" }).end(await zip(body));
}
