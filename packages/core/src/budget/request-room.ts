import type { ContextCompactionConfig } from "./compaction-config.ts";

/** The room that a request has and the marks in it, in tokens. Shares are shares of the room, not of the cap. */
export interface RequestRoom {
  /** The most that a counted request may take; see {@link roomTokens}. */
  readonly tokens: number;
  /** Folding starts above it (`softThresholdPercent`). */
  readonly softLimit: number;
  /** A fold goes down to it (`targetPercent`); 0 sets no target. */
  readonly target: number;
  /** A soft fold that frees less is not worth a new prefix (`minReclaimPercent`). */
  readonly leastReclaim: number;
}

/** Tokens that a counted request may take at the most: the cap less what is kept free for the answer. */
export const roomTokens = ({
  maxInputTokens,
  outputReserveTokens,
}: Pick<ContextCompactionConfig, "maxInputTokens" | "outputReserveTokens">): number =>
  maxInputTokens - outputReserveTokens;

/** The room of a configuration's requests. Whatever compares a request with its limit reads it from here. */
export function requestRoom(config: ContextCompactionConfig): RequestRoom {
  const tokens = roomTokens(config);
  return {
    tokens,
    softLimit: Math.floor(tokens * config.softThresholdPercent),
    target: Math.floor(tokens * config.targetPercent),
    leastReclaim: Math.floor(tokens * config.minReclaimPercent),
  };
}
