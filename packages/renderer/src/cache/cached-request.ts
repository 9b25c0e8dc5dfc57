import { digestOf } from "@threadfold/core";
import type { Rendering } from "../render-input.ts";

/** A piece of a request: what a prefix that ends behind it is known by, and how much it adds. */
export interface PrefixUnit {
  /** Digest of the whole request up to and including this piece. */
  readonly digest: string;
  readonly tokens: number;
  /** How many blocks it has on the wire. */
  readonly blocks: number;
}

/** A request as a prompt cache sees it. */
export interface CachedRequest {
  /** When it is sent, in milliseconds. */
  readonly at: number;
  /** Tools and system text first, then message by message. */
  readonly units: readonly PrefixUnit[];
  /** Indexes of the units that end a cached prefix, ascending; only asked for where breakpoints are explicit. */
  readonly breakpoints: readonly number[];
}

/**
 * A rendering as a prompt cache sees it. Tools and system text are unit 0, so message `n` is unit `n + 1`.
 *
 * @param places indexes of messages behind which a breakpoint stands; `frame` adds one behind tools and system text.
 */
export function cachedRequest(
  { request, manifest, breakdown }: Pick<Rendering, "request" | "manifest" | "breakdown">,
  at: number,
  places: { readonly frame: boolean; readonly messages: readonly number[] } = { frame: false, messages: [] },
): CachedRequest {
  const { system, tools } = request;
  const messages = manifest.messages.reduce((sum, { tokens }) => sum + tokens, 0);
  const total = Object.values(breakdown).reduce((sum, share) => sum + share, 0);
  const frame: PrefixUnit = {
    digest: digestOf({ format: manifest.format, system, tools }),
    tokens: total - messages,
    blocks: system.length + tools.length,
  };
  const units = manifest.messages.map(({ tokens, parts }, index) => ({
    digest: manifest.prefixDigests[index] as string,
    tokens,
    blocks: parts,
  }));
  const breakpoints = [...(places.frame ? [0] : []), ...places.messages.map((index) => index + 1)];
  return { at, units: [frame, ...units], breakpoints };
}
