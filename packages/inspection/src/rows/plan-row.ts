import type { CompactionAction, CompactionOutcome } from "@threadfold/core";

/** A committed plan. */
export interface PlanRow {
  readonly version: number;
  readonly planId: string;
  /** Milliseconds since the epoch. */
  readonly at: number | null;
  readonly threadVersion: number;
  readonly policyVersion: string;
  /** Tokens of the request without any folding, and as the plan renders it, when it was made. */
  readonly originalTokens: number;
  readonly compactedTokens: number;
  /** Messages that it folds, by what it does with them. */
  readonly folded: Readonly<Record<Exclude<CompactionAction, "include">, number>>;
  /** Places in `records` of what it has and the plan before had not, and of what only that one had. */
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** The first call under it; -1 for none. */
  readonly firstCall: number;
  /** How many calls were made under it. */
  readonly calls: number;
}

/** A decision that plans hold: what is done with some messages, and why. It stands in every plan from one to another. */
export interface RecordRow {
  readonly action: Exclude<CompactionAction, "include">;
  readonly strategy: string;
  readonly reason: string;
  /** Version of the plan that first held it, as the record says. */
  readonly since: number;
  /** The plans that hold it: the first and the last version. */
  readonly fromPlan: number;
  readonly toPlan: number;
  /** The messages that it holds: runs of ordinals, the first and the last of each, one behind the other. */
  readonly runs: readonly number[];
  readonly messages: number;
  /** Tokens of the messages before folding, and of what stands for them. Null where only a rendering could say. */
  readonly originalTokens: number;
  readonly shownTokens: number | null;
  /** Where the body lies; null where only the log has it. */
  readonly artifact: string | null;
  /** Name and version of what wrote the summary; null for everything else. */
  readonly summarizer: string | null;
  /** Items of the summary by section, for a summary: how many there are. */
  readonly items: Readonly<Record<string, number>> | null;
  /** Words that a dropped span is found by. */
  readonly keywords: readonly string[];
}

/** A fold that was due and made no plan, or a request that was not handed out. */
export interface AttemptRow {
  readonly sequence: number;
  readonly at: number;
  readonly planVersion: number;
  readonly threadVersion: number;
  /** How folding ended. */
  readonly outcome: CompactionOutcome["type"];
  /** Who vetoed it, and the words that were given for it, redacted and empty where bodies are left out; null for every other outcome. */
  readonly veto: { readonly hook: string; readonly reason: string } | null;
  /** True for a request that was over its budget and was not handed out. */
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
  /** Version of the thread at which it was made, and at which it was lifted; null while it holds. */
  readonly madeAt: number;
  readonly liftedAt: number | null;
  readonly liftedWhy: string | null;
  /** Ordinal of the message that says it; -1 where none does. */
  readonly message: number;
  /** Calls whose request has its text nowhere. */
  readonly missing: readonly number[];
}
