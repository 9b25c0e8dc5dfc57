import type { InspectionIndex } from "@threadfold/inspection/rows";

type Tables = Pick<InspectionIndex, "blocks" | "calls">;

/** What the prompt cache did with a block. */
export type CacheState = "cached" | "written" | "fresh";

/**
 * What the cache did with each block of a call: it holds a beginning, so it is read up to where `cached` tokens are reached
 * and written up to where `written` are. A block in which it ends counts by its greater part.
 */
export function cacheStates({ blocks, calls }: Tables, call: number, places: readonly number[]): readonly CacheState[] {
  // The provider counts in tokens of its own.
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

/** Positions in a request of its largest blocks, largest first. */
export const largestBlocks = ({ blocks }: Tables, places: readonly number[], most: number): readonly number[] =>
  places
    .map((place, position) => ({ position, tokens: blocks.tokens[place] ?? 0 }))
    .sort((a, b) => b.tokens - a.tokens || a.position - b.position)
    .slice(0, most)
    .map(({ position }) => position);
