import type { BenchMachine } from "./bench-machine.ts";
import type { PolicyKind } from "./peers-results.ts";
import type { Growing, Oneshot } from "./speed-policy-worker.ts";
import type { SessionSpeed } from "./speed-session.ts";
import type { TokenizerSpeed } from "./speed-tokenizers.ts";

/** The results of the speed bench. Times are milliseconds. */
export interface SpeedResults {
  readonly schemaVersion: 1;
  readonly machine: BenchMachine;
  readonly sample: boolean;
  readonly seconds: number;
  /** Seconds that each policy had to grow a thread, and for each history to make a prompt of it. */
  readonly limitSeconds: number;
  readonly policies: readonly PolicySpeed[];
  /** A turn at the end of threads of very different lengths; empty in a sample. */
  readonly turns: readonly TurnSpeed[];
  readonly turnExponent: number | null;
  readonly sessions: readonly SessionSpeed[];
  readonly tokenizers: readonly TokenizerSpeed[];
}

/** How fast a policy makes prompts. */
export interface PolicySpeed {
  readonly policy: string;
  readonly kind: PolicyKind;
  /** One prompt from a whole history. A missing size was not done in time. */
  readonly oneshot: readonly Oneshot[];
  readonly oneshotExponent: number | null;
  /** Total of all prompts of the first 2,000 steps of a growing thread; null when they were not done in time. */
  readonly firstStepsMs: number | null;
  /** A thread that grew until the time was up. */
  readonly growing: Growing | null;
  /** How the total of all prompts of a growing thread grows with its length: 1 is a constant cost per turn. */
  readonly growingExponent: number | null;
  /** Why figures are missing, as text for people. */
  readonly problem?: string;
}

/** A turn at the end of a thread of some length. */
export interface TurnSpeed {
  readonly messages: number;
  readonly msPerTurn: number;
  readonly lowest: number;
  readonly highest: number;
}
