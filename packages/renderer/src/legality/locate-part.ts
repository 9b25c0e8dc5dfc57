import type { RenderedMessage, RenderManifest } from "../manifest/render-manifest.ts";
import type { Locate } from "./check-rules.ts";

/**
 * For formats in which one part became one block or one item: the message of a place is found by counting.
 *
 * @param counts how many parts each message of the payload holds, in order. What it holds more of than the manifest is
 *   system text before the conversation; nothing is found in a payload that holds less.
 */
export function partLocator(counts: readonly number[], manifest: RenderManifest): Locate {
  const owners: RenderedMessage[] = manifest.messages.flatMap((message) =>
    new Array<RenderedMessage>(message.parts).fill(message),
  );
  const firsts: number[] = [];
  let total = 0;
  for (const count of counts) {
    firsts.push(total);
    total += count;
  }
  const leading = total - owners.length;
  if (leading < 0) return () => undefined;
  return ({ message, block = 0 }) => {
    const first = firsts[message];
    return first === undefined ? undefined : owners[first + block - leading];
  };
}
