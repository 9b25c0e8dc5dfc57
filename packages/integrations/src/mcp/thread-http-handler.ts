import {
  type AuthInfo,
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type OAuthTokenVerifier,
  originValidationResponse,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import type { ThreadfoldStore } from "@threadfold/core";
import type { ThreadAccess } from "./thread-access.ts";
import { SearchedThreads } from "./thread-archive.ts";
import { threadServer } from "./thread-server.ts";
import type { ThreadServerOptions } from "./thread-server-options.ts";
import { report } from "./tool-failure.ts";

/** How clients are told apart over HTTP, and what each of them may see. */
export interface ThreadHttpOptions extends ThreadServerOptions {
  /** Checks the bearer token that every request has to carry. */
  readonly verifier: OAuthTokenVerifier;
  /** What the owner of a token may see; null for nothing, which is answered with 403. */
  readonly accessOf: (auth: AuthInfo) => ThreadAccess | null | Promise<ThreadAccess | null>;
  /**
   * Host names, without ports, that a request may be addressed to and may come from: what keeps other pages of a
   * browser out. The names of the loopback by default.
   */
  readonly hostnames?: readonly string[];
}

/** Answers requests as a web-standard handler does. */
export interface ThreadHttpHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends what is under way. */
  readonly close: () => Promise<void>;
}

/**
 * Threads over streamable HTTP, without sessions: each request is checked for its host, its origin and its token, and is
 * answered by a server of its own over what that token may see.
 */
export function threadHttpHandler(options: ThreadHttpOptions): ThreadHttpHandler {
  const { verifier, accessOf, hostnames = localhostAllowedHostnames(), ...serverOptions } = options;
  const authenticate = requireBearerAuth({ verifier });
  const granted = new WeakMap<AuthInfo, ThreadAccess>();
  const searched = new WeakMap<ThreadfoldStore, SearchedThreads>();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const access = authInfo && granted.get(authInfo);
      if (access === undefined) throw new Error("The request was not let in.");
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

/** Indexes of one store are never those of another, for two tenants may name a thread alike. */
function searchedIn(known: WeakMap<ThreadfoldStore, SearchedThreads>, store: ThreadfoldStore): SearchedThreads {
  const searched = known.get(store) ?? new SearchedThreads();
  known.set(store, searched);
  return searched;
}
