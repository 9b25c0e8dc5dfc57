import { type ContextCompactionConfig, roomTokens } from "@threadfold/core";
import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";
import { manualTrigger } from "../triggers/manual-trigger.ts";
import { overRoomTrigger } from "../triggers/over-room-trigger.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";

/**
 * What makes every policy fold, whatever it says of its own trigger: somebody asks for it, the request takes more than its
 * room, or the provider refused it as too long (P3). Sessions heed it of presets that leave it out as well.
 */
export const LAST_RESORT: readonly CompactionTrigger[] = Object.freeze([
  manualTrigger,
  overRoomTrigger,
  overflowTrigger,
]);

/**
 * A threshold that some seed derives from the window by taking reserves off, in tokens; never less than half of the room.
 * The reserves are made for large windows, and in a small one nothing would be left.
 */
export function aboveReserves(threshold: number, config: ContextCompactionConfig): number {
  return Math.max(threshold, Math.ceil(roomTokens(config) / 2));
}

/** What is kept free for the answer: what the configuration says, and the seed's figure where it says nothing. */
export const outputReserve = ({ outputReserveTokens }: ContextCompactionConfig, seed: number): number =>
  outputReserveTokens > 0 ? outputReserveTokens : seed;
