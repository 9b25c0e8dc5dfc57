import type { Draft } from "../neutral/draft.ts";
import type { FormatRequirements } from "./format-requirements.ts";
import { pairKey } from "./leave-out-lone-items.ts";
import { onceKey } from "./leave-out-repeated-items.ts";

/**
 * By what the opaque items of a message are tied to others of the request: a call to its answer, an item to its repetition.
 * Two pieces of a request that share a key cannot be made legal apart from each other.
 */
export function itemKeys(
  { chat }: Draft,
  { opaquePairs = [], opaqueOnce }: Pick<FormatRequirements, "opaquePairs" | "opaqueOnce">,
): readonly string[] {
  if (opaquePairs.length === 0 && opaqueOnce === undefined) return [];
  return chat.parts.flatMap((part) => {
    const pair = pairKey(part, opaquePairs);
    const id = opaqueOnce === undefined ? undefined : onceKey(part, opaqueOnce);
    return [...(pair === undefined ? [] : [pair.key]), ...(id === undefined ? [] : [`${opaqueOnce} ${id}`])];
  });
}
