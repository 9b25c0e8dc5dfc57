import type { IncomingMessage } from "node:http";
import { isLoopbackHost, isSameToken } from "@threadfold/integrations/loopback";
import { PROVIDERS, type Provider } from "../apis/provider-api.ts";

/** The provider and path that a request goes to. */
export interface Address {
  readonly provider: Provider;
  /** Path and query after the provider's base address. */
  readonly path: string;
}

/** Why a request is rejected. */
export type Stranger = { readonly status: 401 | 403 | 404; readonly message: string };

/**
 * Parses `/<token>/<provider>/<path>`, or `/<provider>/<path>` without a token. The token is part of the address
 * because the address is what agents let users configure; headers carry their keys, which are meant for the provider.
 */
export function addressOf({ url = "/", headers }: IncomingMessage, token: string | null): Address | Stranger {
  if (!isLoopbackHost(headers.host)) return { status: 403, message: "The proxy only answers to loopback host names." };
  const parts = url.split("/").slice(1);
  const given = token === null ? "" : (parts.shift() ?? "");
  if (token !== null && !isSameToken(given, token))
    return { status: 401, message: "The address does not contain the token that the proxy was started with." };
  const [provider, ...rest] = parts;
  if (provider !== undefined && isProvider(provider))
    return { provider, path: versionedPath(provider, rest.join("/")) };
  return { status: 404, message: `The address does not name a provider; the proxy has ${PROVIDERS.join(" and ")}.` };
}

const isProvider = (name: string): name is Provider => (PROVIDERS as readonly string[]).includes(name);

/** Paths of Anthropic's API as the AI SDK writes them: it expects the version to be part of the base address. */
const UNVERSIONED = /^(?:messages|models)(?:[/?]|$)/;

const versionedPath = (provider: Provider, path: string): string =>
  provider === "anthropic" && UNVERSIONED.test(path) ? `/v1/${path}` : `/${path}`;

/** Appends a path to that of a base address. If both contain the version of the API, it appears only once. */
export function pathBehind(base: URL, path: string): string {
  const before = base.pathname.replace(/\/$/, "");
  return before + (before.endsWith("/v1") && path.startsWith("/v1/") ? path.slice("/v1".length) : path);
}
