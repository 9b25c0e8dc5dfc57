import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import {
  type AuthInfo,
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokenVerifier,
  originValidationResponse,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import type { ThreadfoldStore } from "@threadfold/core";
import { isSameToken, LOOPBACK, type LoopbackService, serveOnLoopback } from "../loopback/loopback.ts";
import { SearchedThreads, type ThreadAccess } from "./thread-archive.ts";
import { type ThreadServerOptions, threadServer } from "./thread-server.ts";
import { report } from "./tool-call.ts";

/** The path that the server answers on; every other path is 404. */
export const MCP_PATH = "/mcp";

/** Options of {@link serveThreadOverHttp}. */
export interface HttpListenOptions extends Pick<LoopbackService, "port" | "signal"> {
  /** Called with the address for clients once the server accepts requests. */
  readonly onListening?: (url: string) => void;
  /** Called with each error that occurs while the server runs. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Answers requests on the loopback interface until the signal is aborted. To serve other machines, mount the handler in
 * a web server that speaks TLS.
 *
 * @throws ThreadfoldError `USAGE` when the port cannot be listened on.
 */
export async function serveThreadOverHttp(handler: ThreadHttpHandler, options: HttpListenOptions): Promise<void> {
  const { port, signal, onListening, onError } = options;
  const server = createServer((request, response) => {
    answer(handler, request, response).catch((error: unknown) => {
      report(error, onError);
      response.destroy();
    });
  });
  await serveOnLoopback(server, {
    port,
    signal,
    onListening: (listened) => onListening?.(`http://${LOOPBACK}:${listened}${MCP_PATH}`),
    onEnding: () => handler.close(),
  });
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

/** Converts to a web-standard request; null when its URL cannot be parsed. */
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

/** How HTTP clients are authenticated and what each of them may see. */
export interface ThreadHttpOptions extends ThreadServerOptions {
  /** Checks the bearer token that every request must carry. */
  readonly verifier: OAuthTokenVerifier;
  /** What the owner of a token may see; null for nothing, which is answered with 403. */
  readonly accessOf: (auth: AuthInfo) => ThreadAccess | null | Promise<ThreadAccess | null>;
  /**
   * Host names, without ports, that a request may be addressed to and may come from; this keeps other pages in a
   * browser out. The names of the loopback interface by default.
   */
  readonly hostnames?: readonly string[];
}

/** Answers requests like a web-standard handler. */
export interface ThreadHttpHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends requests in progress. */
  readonly close: () => Promise<void>;
}

/**
 * Creates a handler that serves threads over streamable HTTP, without sessions: each request is checked for its host,
 * its origin and its token, and is answered by its own server over what that token may see.
 */
export function threadHttpHandler(options: ThreadHttpOptions): ThreadHttpHandler {
  const { verifier, accessOf, hostnames = localhostAllowedHostnames(), ...serverOptions } = options;
  const authenticate = requireBearerAuth({ verifier });
  const granted = new WeakMap<AuthInfo, ThreadAccess>();
  const searched = new WeakMap<ThreadfoldStore, SearchedThreads>();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const access = authInfo && granted.get(authInfo);
      if (access === undefined) throw new Error("The request was rejected.");
      return threadServer(access, serverOptions, searchedIn(searched, access.store));
    },
    { onerror: (error) => report(error, options.onError) },
  );
  return {
    fetch: async (request) => {
      const stranger =
        hostHeaderValidationResponse(request, [...hostnames]) ?? originValidationResponse(request, [...hostnames]);
      if (stranger !== undefined) return stranger;
      const authInfo = await authenticate(request);
      if (authInfo instanceof Response) return authInfo;
      const access = await accessOf(authInfo);
      if (access === null) return new Response(null, { status: 403 });
      granted.set(authInfo, access);
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}

/** Each store has its own indexes, because two tenants may use the same name for a thread. */
function searchedIn(known: WeakMap<ThreadfoldStore, SearchedThreads>, store: ThreadfoldStore): SearchedThreads {
  const searched = known.get(store) ?? new SearchedThreads();
  known.set(store, searched);
  return searched;
}

/** Returns a verifier for a server with a single token, which serves one person on one machine. */
export function localTokenVerifier(token: string): OAuthTokenVerifier {
  return {
    verifyAccessToken: async (given) => {
      if (!isSameToken(given, token)) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is not the one that the server was started with.");
      }
      return { token: given, clientId: "local", scopes: [], expiresAt: Number.MAX_SAFE_INTEGER };
    },
  };
}
