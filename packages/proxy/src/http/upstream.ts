import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestOverHttp } from "node:http";
import { Agent as HttpsAgent, request as requestOverHttps } from "node:https";
import { pipeline } from "node:stream/promises";
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
    request.once("response", (response) => {
      isAnswered = true;
      resolve(response);
    });
    request.once("error", (error: NodeJS.ErrnoException) => {
      if (outgoing.signal.aborted || isAnswered) return reject(outgoing.signal.reason ?? error);
      const isStale = request.reusedSocket && CLOSED.has(error.code) && outgoing.body !== undefined;
      return isStale ? resolve(this.#send(outgoing, false)) : reject(error);
    });
    request.setTimeout(this.#silenceLimitMs, () => request.destroy(this.#silent()));
    if (outgoing.body !== undefined) request.end(outgoing.body);
    // A body breaks off when the client goes away, and then the signal is aborted too.
    else pipeline(outgoing.incoming, request).catch((error: unknown) => request.destroy(error as Error));
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
