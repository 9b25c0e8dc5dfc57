import type { RenderedMessage, RenderManifest } from "../manifest/render-manifest.ts";
import type { Locate } from "./check-rules.ts";

/**
 * For formats in which one part became one block or one item: the message of a place is found by counting.
 *
 * @param counts how many parts each message of the payload holds, in order. Nothing is found in a foreign payload.
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
  if (owners.length !== total) return () => undefined;
  return ({ message, block = 0 }) => {
    const first = firsts[message];
    return first === undefined ? undefined : owners[first + block];
  };
}
