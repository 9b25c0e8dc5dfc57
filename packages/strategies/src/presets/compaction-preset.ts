import {
  type ContextCompactionConfig,
  checkArgument,
  nearestName,
  roomTokens,
  ThreadfoldError,
} from "@threadfold/core";
import type { CompactionStrategy } from "../strategy/compaction-strategy.ts";
import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";
import { manualTrigger, overflowTrigger } from "../triggers/event-triggers.ts";
import { overRoomTrigger } from "../triggers/size-triggers.ts";

/**
 * A complete named policy: when to fold, in which order, with which figures, and how summaries are requested and shown.
 */
export interface CompactionPreset {
  readonly name: string;
  readonly description: string;
  readonly ladder: readonly CompactionStrategy[];
  /**
   * The preset's figures, and the role and wording of its summaries. The caller's own configuration overrides them. Its
   * `policyVersion` is the name under which plans and cached summaries know the policy: a preset made from another one
   * needs a new one.
   */
  readonly config: Partial<ContextCompactionConfig>;
  readonly trigger: (config: ContextCompactionConfig) => CompactionTrigger;
  /** Figures of its trigger and ladder that are not in the configuration, under the original system's names. */
  readonly figures: Readonly<Record<string, number>>;
  /**
   * Version of the prompt that a model summarizer sends (`promptByVersion` in the summarizers package): the original
   * system's own prompt, whose answer is taken as free text, or Threadfold's, which asks for notes.
   */
  readonly promptVersion: string;
  /**
   * Maintenance between turns when no fold is due, such as OpenCode's pruning. Checked before the first request of a
   * turn, if nothing else was folded.
   */
  readonly upkeep?: { readonly trigger: CompactionTrigger; readonly strategy: CompactionStrategy };
  /** Number of the fold from which users are warned that summaries of summaries lose accuracy; 3 by default. */
  readonly warnAfterCompactions?: number;
}

/**
 * Triggers that make every policy fold, whatever its own trigger says: somebody asked for a fold, the request exceeds
 * its limit, or the provider refused the request as too long (P3). Sessions apply them to presets without them as well.
 */
export const LAST_RESORT: readonly CompactionTrigger[] = Object.freeze([
  manualTrigger,
  overRoomTrigger,
  overflowTrigger,
]);

/**
 * Configuration for a system that keeps nothing of its window free beyond its own figures. As with any preset, a host's
 * own configuration overrides it.
 */
export const NO_RESERVES = Object.freeze({ safetyBufferTokens: 0, rehydrationReserveTokens: 0 });

/**
 * Raises a threshold, in tokens, that a system derives by subtracting reserves from the window, to at least half of the
 * room. The reserves are meant for large windows; in a small one they would leave nothing.
 */
export function aboveReserves(threshold: number, config: ContextCompactionConfig): number {
  return Math.max(threshold, Math.ceil(roomTokens(config) / 2));
}

/**
 * Returns the tokens kept free for the answer: those configured, or the system's own figure when none are configured.
 */
export const outputReserve = ({ outputReserveTokens }: ContextCompactionConfig, seed: number): number =>
  outputReserveTokens > 0 ? outputReserveTokens : seed;

/**
 * Returns the figures of a system, overridden by the given ones.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when they are no object, the system has no such figure, or a figure is not a
 * whole number of at least 0.
 */
export function presetFigures<Name extends string>(
  preset: string,
  defaults: Readonly<Record<Name, number>>,
  given: Readonly<Partial<Record<Name, number>>>,
): Readonly<Record<Name, number>> {
  checkArgument("settings", given, "object");
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

/**
 * Names a policy and the figures in which it differs from the system's own, so that plans and caches tell them apart.
 */
export function policyWith(version: string, given: object): string {
  const own = Object.entries(given).filter(([, value]) => value !== undefined);
  return [version, ...own.map(([name, value]) => `${name}=${value}`)].join(" ");
}
