import { createHash, timingSafeEqual } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ThreadfoldError } from "@threadfold/core";

/** An address that no other machine can reach. */
export const LOOPBACK = "127.0.0.1";

/** A service on the loopback interface and its lifetime. */
export interface LoopbackService {
  /** Port on the loopback interface; 0 picks a free one. */
  readonly port: number;
  /** Ends the service when aborted. */
  readonly signal: AbortSignal;
  /** Called with the port once the server accepts requests. */
  readonly onListening: (port: number) => void;
  /** Ends the service's own work in progress, before its connections are closed. */
  readonly onEnding: () => void | Promise<void>;
}

/**
 * Answers requests on the loopback interface until the signal is aborted.
 *
 * @throws ThreadfoldError `USAGE` when the port cannot be listened on.
 */
export async function serveOnLoopback(server: Server, service: LoopbackService): Promise<void> {
  const { port, signal, onListening, onEnding } = service;
  if (signal.aborted) return;
  onListening(await listenOnLoopback(server, port));
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve(), { once: true });
  if (!signal.aborted) await aborted.promise;
  await onEnding();
  await closeNow(server);
}

/**
 * Listens on a port of the loopback interface and returns it; port 0 picks a free one.
 *
 * @throws ThreadfoldError `USAGE` when the port cannot be listened on.
 */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, LOOPBACK, resolve);
  try {
    await promise;
  } catch (cause) {
    throw new ThreadfoldError("USAGE", `Cannot listen on port ${port} of the loopback interface.`, {
      hint: "Another program may use it. Name another port, or 0 for a free one.",
      cause,
    });
  }
  return (server.address() as AddressInfo).port;
}

/** Closes every connection of a server and waits until the server has closed. */
export function closeNow(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/**
 * Checks that a Host header names the loopback interface. It does not when another site's page points its own domain
 * name here.
 */
export const isLoopbackHost = (host: string | undefined): boolean =>
  /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host ?? "");

/** Compares two tokens in constant time, without revealing how much of a guess was right. */
export const isSameToken = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
