import type { InspectionIndex } from "@threadfold/inspection/rows";

type Tables = Pick<InspectionIndex, "blocks" | "calls">;

/** What the prompt cache did with a block. */
export type CacheState = "cached" | "written" | "fresh";

/**
 * Returns what the cache did with each block of a call. The cache holds a prefix, so blocks are read until `cached`
 * tokens are reached, then written until `written` more are. A block in which one of these ends counts by its greater
 * part.
 */
export function cacheStates({ blocks, calls }: Tables, call: number, places: readonly number[]): readonly CacheState[] {
  // The provider counts tokens with its own tokenizer.
  const scale = (calls.tokens[call] ?? 0) / Math.max(1, calls.inputTokens[call] ?? 0);
  const cached = scale * (calls.cached[call] ?? 0);
  const written = cached + scale * (calls.written[call] ?? 0);
  let sum = 0;
  return places.map((place) => {
    const tokens = blocks.tokens[place] ?? 0;
    const middle = sum + tokens / 2;
    sum += tokens;
    return middle < cached ? "cached" : middle < written ? "written" : "fresh";
  });
}

/** Returns the positions of a request's largest blocks, largest first. */
export const largestBlocks = ({ blocks }: Tables, places: readonly number[], most: number): readonly number[] =>
  places
    .map((place, position) => ({ position, tokens: blocks.tokens[place] ?? 0 }))
    .sort((a, b) => b.tokens - a.tokens || a.position - b.position)
    .slice(0, most)
    .map(({ position }) => position);
