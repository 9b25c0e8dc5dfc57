import type { IncomingMessage } from "node:http";
import { isLoopbackHost, isSameToken } from "@threadfold/integrations/loopback";
import { PROVIDERS, type Provider } from "../apis/provider-api.ts";

/** Where a request goes. */
export interface Address {
  readonly provider: Provider;
  /** Path and query behind the provider's base address. */
  readonly path: string;
}

/** Why a request is not let in. */
export type Stranger = { readonly status: 401 | 403 | 404; readonly message: string };

/**
 * Reads `/<token>/<provider>/<path>`, or `/<provider>/<path>` without a token. The token stands in the address because
 * that is what programs let one set; their keys go in headers, which are the provider's.
 */
export function addressOf({ url = "/", headers }: IncomingMessage, token: string | null): Address | Stranger {
  if (!isLoopbackHost(headers.host))
    return { status: 403, message: "The proxy answers to the names of the loopback alone." };
  const parts = url.split("/").slice(1);
  const given = token === null ? "" : (parts.shift() ?? "");
  if (token !== null && !isSameToken(given, token))
    return { status: 401, message: "The address has not the token that the proxy was started with." };
  const [provider, ...rest] = parts;
  if (provider !== undefined && isProvider(provider))
    return { provider, path: versionedPath(provider, rest.join("/")) };
  return { status: 404, message: `The address names no provider; the proxy has ${PROVIDERS.join(" and ")}.` };
}

const isProvider = (name: string): name is Provider => (PROVIDERS as readonly string[]).includes(name);

/** Paths of Anthropic's API as the AI SDK writes them, which counts the version as part of the base. */
const UNVERSIONED = /^(?:messages|models)(?:[/?]|$)/;

const versionedPath = (provider: Provider, path: string): string =>
  provider === "anthropic" && UNVERSIONED.test(path) ? `/v1/${path}` : `/${path}`;

/** A path behind a base address: where both name the version of the API, it stands there once. */
export function pathBehind(base: URL, path: string): string {
  const before = base.pathname.replace(/\/$/, "");
  return before + (before.endsWith("/v1") && path.startsWith("/v1/") ? path.slice("/v1".length) : path);
}
