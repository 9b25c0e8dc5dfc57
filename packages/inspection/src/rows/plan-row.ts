import type { CompactionAction, CompactionOutcome } from "@threadfold/core";

/** A committed plan. */
export interface PlanRow {
  readonly version: number;
  readonly planId: string;
  /** Milliseconds since the epoch. */
  readonly at: number | null;
  readonly threadVersion: number;
  readonly policyVersion: string;
  /** Tokens of the request without any folding, and as the plan renders it, at the time it was made. */
  readonly originalTokens: number;
  readonly compactedTokens: number;
  /** Number of messages that it folds, by action. */
  readonly folded: Readonly<Record<Exclude<CompactionAction, "include">, number>>;
  /** Indexes into `records`: those that are new in this plan, and those that only the previous plan had. */
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** The first call made under it; -1 for none. */
  readonly firstCall: number;
  /** Number of calls made under it. */
  readonly calls: number;
}

/**
 * A decision in plans: what is done with some messages, and why. It is part of all plans from `fromPlan` to `toPlan`.
 */
export interface RecordRow {
  readonly action: Exclude<CompactionAction, "include">;
  readonly strategy: string;
  readonly reason: string;
  /** Version of the plan that first contained it, according to the record. */
  readonly since: number;
  /** The first and the last version of the plans that contain it. */
  readonly fromPlan: number;
  readonly toPlan: number;
  /** The messages that it covers: runs of ordinals, as the first and the last of each, flattened. */
  readonly runs: readonly number[];
  readonly messages: number;
  /** Tokens of the messages before folding, and of their replacement. Null if only a rendering could tell. */
  readonly originalTokens: number;
  readonly shownTokens: number | null;
  /** Id of the artifact with the body; null if only the log has it. */
  readonly artifact: string | null;
  /** Name and version of the summarizer; null for everything but summaries. */
  readonly summarizer: string | null;
  /** Number of items in each section of the summary; null for everything but summaries. */
  readonly items: Readonly<Record<string, number>> | null;
  /** Words by which a dropped span can be found. */
  readonly keywords: readonly string[];
}

/** A fold that was due but made no plan, or a request that was refused. */
export interface AttemptRow {
  readonly sequence: number;
  readonly at: number;
  readonly planVersion: number;
  readonly threadVersion: number;
  /** The outcome of the fold. */
  readonly outcome: CompactionOutcome["type"];
  /**
   * Which hook vetoed it, and the reason it gave, redacted if requested and empty if bodies are left out; null for
   * other outcomes.
   */
  readonly veto: { readonly hook: string; readonly reason: string } | null;
  /** True for a request that exceeded its budget and was refused. */
  readonly refused: boolean;
  /** The newest call before it; -1 for none. */
  readonly call: number;
}

/** A standing instruction, and the requests that lacked it. */
export interface PinRow {
  readonly id: string;
  readonly text: string;
  readonly authority: string;
  readonly origin: string;
  /** Version of the thread at which it was made, and at which it was lifted; null while it applies. */
  readonly madeAt: number;
  readonly liftedAt: number | null;
  /** A word of core for it, or what the host gave as its reason, which is handled like the text. */
  readonly liftedWhy: string | null;
  /** The authority that lifted it; null while it applies. */
  readonly liftedBy: string | null;
  /** Ordinal of the message that lifted it; -1 if none did. */
  readonly liftedIn: number;
  /** Ordinal of the message that states it; -1 if none does. */
  readonly message: number;
  /** Calls whose request does not contain its text. */
  readonly missing: readonly number[];
}
