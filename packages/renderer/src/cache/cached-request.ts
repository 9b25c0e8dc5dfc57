import { type CachedRequest, digestOf, type PrefixUnit } from "@threadfold/core";
import type { Rendering } from "../input/render-input.ts";

/**
 * Returns a rendering as a prompt cache sees it. Tools and system text are unit 0, so message `n` is unit `n + 1`.
 *
 * @param places indexes of the messages that are followed by a breakpoint; `frame` adds one after tools and system
 *   text.
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
