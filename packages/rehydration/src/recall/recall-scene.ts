import type { AgentThread, CompactionPlan, Embed, RecallIndex, RecallRequest, VectorStore } from "@threadfold/core";

/** Search by meaning, beside the search by words. The host fills the store. */
export interface VectorSearch {
  readonly store: VectorStore;
  readonly embed: Embed;
  /** How long embedding and searching may take together, in milliseconds; 5 000 by default. */
  readonly timeLimitMs?: number;
}

/** Search by meaning for one result. */
export interface NearSearch extends VectorSearch {
  /** Tokens that entries may take beside the passages found by words, which they take nothing from. */
  readonly maxTokens: number;
  /** Hears what the embedder or the store throws, `TIMED_OUT` among it; the result is then that of the words alone. */
  readonly onProblem?: (problem: unknown) => void;
}

/** What a recall looks through. */
export interface RecallScene {
  readonly index: RecallIndex;
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
  readonly countTokens: (text: string) => number;
  /** Tokens that one result may take of what words find. */
  readonly maxTokens: number;
  /** Search by meaning, which adds to the first page what words do not find. */
  readonly near?: NearSearch;
}

/** What is looked for, and which page of the result. */
export type RecallAsk = Omit<RecallRequest, "limit" | "cursor"> & { readonly page?: number };
