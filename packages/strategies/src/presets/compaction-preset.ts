import { type ContextCompactionConfig, nearestName, roomTokens, ThreadfoldError } from "@threadfold/core";
import type { CompactionStrategy } from "../strategy/compaction-strategy.ts";
import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";
import { manualTrigger, overflowTrigger } from "../triggers/event-triggers.ts";
import { overRoomTrigger } from "../triggers/size-triggers.ts";

/** A whole policy under one name: when to fold, in which order, with which figures, and how a summary is asked for and shown. */
export interface CompactionPreset {
  readonly name: string;
  readonly description: string;
  readonly ladder: readonly CompactionStrategy[];
  /** Figures that the preset sets, and the role of its summaries and the words around them; the caller's own come on top. */
  readonly config: Partial<ContextCompactionConfig>;
  readonly trigger: (config: ContextCompactionConfig) => CompactionTrigger;
  /**
   * The figures of its trigger and ladder that no configuration holds, under the names that they have in its system.
   */
  readonly figures: Readonly<Record<string, number>>;
  /**
   * Names the prompt that a summarizer with a model sends (`promptByVersion` of the summarizers): the system's own for
   * a preset of another system, which takes the text that comes, and Threadfold's for notes.
   */
  readonly promptVersion: string;
  /**
   * What is done between turns without a fold being due, such as OpenCode's pruning: looked at before the first request of a
   * turn, where nothing else was folded.
   */
  readonly upkeep?: { readonly trigger: CompactionTrigger; readonly strategy: CompactionStrategy };
  /** From which fold on users are warned that summaries of summaries lose accuracy; 3 where it is left out. */
  readonly warnAfterCompactions?: number;
}

/**
 * What makes every policy fold, whatever it says of its own trigger: somebody asks for it, the request takes more than
 * its room, or the provider refused it as too long (P3). Sessions apply it to presets that leave it out as well.
 */
export const LAST_RESORT: readonly CompactionTrigger[] = Object.freeze([
  manualTrigger,
  overRoomTrigger,
  overflowTrigger,
]);

/**
 * The reserves of a system that keeps nothing free of its window but what its figures say. A host's own configuration
 * comes on top, like that of any preset.
 */
export const NO_RESERVES = Object.freeze({ safetyBufferTokens: 0, rehydrationReserveTokens: 0 });

/**
 * A threshold that a system derives from the window by taking reserves off, in tokens; never less than half of the
 * room. The reserves are made for large windows, and in a small one nothing would be left.
 */
export function aboveReserves(threshold: number, config: ContextCompactionConfig): number {
  return Math.max(threshold, Math.ceil(roomTokens(config) / 2));
}

/** What is kept free for the answer: what the configuration says, and the system's own figure where it says nothing. */
export const outputReserve = ({ outputReserveTokens }: ContextCompactionConfig, seed: number): number =>
  outputReserveTokens > 0 ? outputReserveTokens : seed;

/**
 * The figures of a system, with those of one's own in their places.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a figure that the system does not have, or one that is not a whole number of
 * at least 0.
 */
export function presetFigures<Name extends string>(
  preset: string,
  defaults: Readonly<Record<Name, number>>,
  given: Readonly<Partial<Record<Name, number>>>,
): Readonly<Record<Name, number>> {
  const names = Object.keys(defaults);
  for (const [name, value] of Object.entries<number | undefined>(given)) {
    if (!names.includes(name)) {
      throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${preset} has no such figure.`, {
        hint: `Did you mean ${nearestName(name, names) ?? names.join(", ")}?`,
        details: { name },
      });
    }
    if (value !== undefined && !(Number.isInteger(value) && value >= 0))
      throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${value} is not a whole number of at least 0.`, {
        details: { name },
      });
  }
  return Object.freeze({ ...defaults, ...given });
}

/** Names a policy and the figures in which it is another one than the system's own: plans and caches tell them apart. */
export function policyWith(version: string, given: object): string {
  const own = Object.entries(given).filter(([, value]) => value !== undefined);
  return [version, ...own.map(([name, value]) => `${name}=${value}`)].join(" ");
}
