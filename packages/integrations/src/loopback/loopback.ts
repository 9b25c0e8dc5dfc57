import { createHash, timingSafeEqual } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ThreadfoldError } from "@threadfold/core";

/** The address that no other machine reaches. */
export const LOOPBACK = "127.0.0.1";

/** What is served on the loopback, and for how long. */
export interface LoopbackService {
  /** Port of the loopback; 0 takes a free one. */
  readonly port: number;
  /** Ends the service when it is aborted. */
  readonly signal: AbortSignal;
  /** Called once requests are answered, with the port. */
  readonly onListening: (port: number) => void;
  /** Ends what the service itself has under way, before its connections are cut. */
  readonly onEnding: () => void | Promise<void>;
}

/**
 * Answers requests on the loopback until the signal is aborted.
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
 * Listens on a port of the loopback, and says which one it is: with 0 it is a free one.
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
    throw new ThreadfoldError("USAGE", `Port ${port} of the loopback cannot be listened on.`, {
      hint: "Another program may use it. Name another port, or 0 for a free one.",
      cause,
    });
  }
  return (server.address() as AddressInfo).port;
}

/** Cuts every connection of a server and waits until it has ended. */
export function closeNow(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** False for a page of another site that has its own name point here: it comes under that name. */
export const isLoopbackHost = (host: string | undefined): boolean =>
  /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host ?? "");

/** Compares two tokens without telling how much of a guess was right. */
export const isSameToken = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
