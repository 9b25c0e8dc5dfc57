import type {
  ContextCompactionConfig,
  MessageGroup,
  MessageHeader,
  PlanRecord,
  ProbeVerdict,
  ThreadShape,
} from "@threadfold/core";
import type { CompactionProposal } from "./compaction-proposal.ts";

/** What holds a message in a draft: a record of the current plan, or a proposal that was chosen in this fold. */
export type Hold = PlanRecord | CompactionProposal;

/** What a strategy sees: headers, groups and what is folded so far. No body. */
export interface StrategyContext {
  readonly shape: ThreadShape;
  /** The groups that may be folded now, oldest first: on the main branch, not recent, not indispensable. */
  readonly foldable: readonly MessageGroup[];
  /** What holds a message in the draft, or undefined while it is included. */
  readonly heldBy: (ordinal: number) => Hold | undefined;
  /** Tokens of a message as the draft renders it. */
  readonly renderedTokens: (header: MessageHeader) => number;
  readonly config: ContextCompactionConfig;
  /** A summary may take at most so many tokens in this fold. */
  readonly summaryMaxTokens: number;
  /** Tokens that are still to be freed. */
  readonly needed: number;
  /** How many characters stay at each end of a body that is truncated. Undefined while nothing needs truncation. */
  readonly truncateTo?: number;
  /**
   * What a look at a replayable result's source came to; undefined while nobody has looked, which comes before anything
   * is committed. Absent when nothing can be verified.
   */
  readonly replayVerdict?: (ordinal: number) => ProbeVerdict | undefined;
}

/** One rung of the ladder: proposes and never acts (seed 002). */
export interface CompactionStrategy {
  readonly name: string;
  /** Lower comes first when the ladder sets no order of its own. */
  readonly aggressiveness: number;
  /** True when it empties bodies and leaves every message in its place, so that it may be given a part of a group. */
  readonly keepsMessages?: true;
  /** What it would fold to free what is needed, oldest first. Pure. */
  analyze(context: StrategyContext): readonly CompactionProposal[];
}
