import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestOverHttp } from "node:http";
import { Agent as HttpsAgent, request as requestOverHttps } from "node:https";
import type { Socket } from "node:net";
import { ThreadfoldError } from "@threadfold/core";
import { pathBehind } from "./address.ts";
import { requestHeaders } from "./headers.ts";

/** A request to send to the provider. */
export interface Outgoing {
  /** The client's request, from which the method and headers are taken, and the body unless `body` is set. */
  readonly incoming: IncomingMessage;
  /** The provider's base address. */
  readonly base: URL;
  /** Path and query after the base. */
  readonly path: string;
  /** The bytes to send; if absent, the client's body is streamed through. */
  readonly body?: Buffer;
  /** True when the answer is to be read here, not only passed on. */
  readonly isAnswerRead: boolean;
  readonly signal: AbortSignal;
}

/** How a request fails whose connection the provider had closed before. */
const CLOSED: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Passes a client's body on. When the provider takes no more of it, the rest is read and dropped: the client hears the
 * provider's answer on the same connection.
 */
function passBody(incoming: IncomingMessage, request: ClientRequest): void {
  // A body breaks off when the client goes away, and then the signal is aborted too.
  incoming.once("error", (error) => request.destroy(error));
  request.once("close", () => incoming.unpipe(request).resume());
  incoming.pipe(request);
}

/** What Node knows about reading from a socket. */
interface ReadState {
  errored: Error | null;
}

/** How long an answer may take to be read from a connection on which nothing can be sent any more, in milliseconds. */
const READING_MS = 2_000;

/**
 * Keeps a connection open for reading when sending fails: a provider may answer and close without reading the whole
 * request, and Node would discard the answer. Without an answer, the failure to read what follows is the error.
 */
function readBeforeClosing(socket: Socket & { readonly _readableState?: ReadState }, request: ClientRequest): void {
  const close = socket.destroy;
  let patience: NodeJS.Timeout | undefined;
  socket.destroy = (error?: NodeJS.ErrnoException) => {
    const { _readableState: state } = socket;
    if (error?.syscall !== "write" || state === undefined) return close.call(socket, error);
    // Node takes nothing more from a socket that is marked so, and has no other way to unmark it.
    state.errored = null;
    patience ??= setTimeout(() => close.call(socket, error), READING_MS);
    return socket;
  };
  request.once("close", () => {
    clearTimeout(patience);
    socket.destroy = close;
    if (patience !== undefined) socket.destroy();
  });
}

/** Connections to the providers. */
export class Upstream {
  readonly #agents = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };
  readonly #silenceLimitMs: number;

  /** @param silenceLimitMs how long a provider may be silent, in milliseconds. */
  constructor(silenceLimitMs: number) {
    this.#silenceLimitMs = silenceLimitMs;
  }

  /**
   * Sends a request and waits for the head of the answer. If the provider has meanwhile closed the kept connection that
   * a request was sent on, a body that is known as a whole is sent once more, over a connection of its own.
   *
   * @throws ThreadfoldError `TIMED_OUT` when the provider is silent for too long; the error of the connection when it
   * fails; the signal's reason when it is aborted.
   */
  send(outgoing: Outgoing): Promise<IncomingMessage> {
    return this.#send(outgoing, true);
  }

  async #send(outgoing: Outgoing, mayBeStale: boolean): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = this.#open(outgoing, mayBeStale);
    let isAnswered = false;
    request.once("socket", (socket) => readBeforeClosing(socket, request));
    request.once("response", (response) => {
      isAnswered = true;
      // Nobody reads the rest of the body once the provider has said all.
      response.once("close", () => request.writableFinished || request.destroy());
      resolve(response);
    });
    request.once("error", (error: NodeJS.ErrnoException) => {
      if (outgoing.signal.aborted || isAnswered) return reject(outgoing.signal.reason ?? error);
      const isStale = request.reusedSocket && CLOSED.has(error.code) && outgoing.body !== undefined;
      return isStale ? resolve(this.#send(outgoing, false)) : reject(error);
    });
    request.setTimeout(this.#silenceLimitMs, () => request.destroy(this.#silent()));
    if (outgoing.body !== undefined) request.end(outgoing.body);
    else passBody(outgoing.incoming, request);
    return promise;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #open({ incoming, base, path, body, isAnswerRead, signal }: Outgoing, isKept: boolean): ClientRequest {
    const isSecure = base.protocol === "https:";
    const send = isSecure ? requestOverHttps : requestOverHttp;
    return send({
      agent: isKept && this.#agents[isSecure ? "https:" : "http:"],
      hostname: base.hostname.replace(/^\[|\]$/g, ""),
      port: base.port,
      method: incoming.method ?? "GET",
      path: pathBehind(base, path),
      headers: requestHeaders(incoming, base.host, body?.length, isAnswerRead),
      setHost: false,
      signal,
    });
  }

  #silent(): ThreadfoldError {
    return new ThreadfoldError("TIMED_OUT", `The provider sent nothing for ${this.#silenceLimitMs} ms.`);
  }
}
