import type { BillId } from "../measure/call-bill.ts";

/**
 * What prompts remember of work that is older than ten calls (of newer work in `recent`), asked at every fifth call once
 * the whole history exceeds the budget. Shares are from 0 to 1, and null when nothing was asked. All but `name`, `recent` and `bareNames` count
 * what appears together with what it belongs to in one passage.
 */
export interface MemoryFigures {
  /** Share of what users asked. */
  readonly ask: number | null;
  /** Share of what the agent itself said it had found or done. */
  readonly report: number | null;
  /** Share of those reports of which at least one sentence appears word for word. */
  readonly quote: number | null;
  /** Share of the lines of the newest handoff or compaction summary in the log. Null if logs have none. */
  readonly handoff: number | null;
  /** Share of the file changes: the file together with names that were changed in it. */
  readonly edit: number | null;
  /** Share of the latest runs of commands: the command together with its outcome. */
  readonly run: number | null;
  /** Share of the names that the call uses: the name together with words that appeared around it in its source. */
  readonly need: number | null;
  /** Share of the same names and others: the name anywhere in the prompt. */
  readonly name: number | null;
  /** Share of the names that the call uses and had last seen within ten calls: they belong to the work at hand. */
  readonly recent: number | null;
  /** Share of what the policy wrote itself that is names in bare lists. */
  readonly bareNames: number | null;
}

/** Shares of a set of needs, from 0 to 1; null when there were none. */
export interface RecallFigures {
  readonly needs: number;
  /** Share of the needs that were in the prompt. */
  readonly direct: number | null;
  /** Share of the needs that were there or in the answer to the session's own query. */
  readonly reachable: number | null;
  /** The same for a query of what the agent said with the call, or said last. */
  readonly byOwnWords: number | null;
  /** The same for a query of all words of the call. */
  readonly byCallWords: number | null;
}

/** The answers to a session's own query, asked before each call that lacks something; null if none was asked. */
export interface AnswerFigures {
  readonly asked: number;
  /** Average number of tokens of an answer. */
  readonly averageTokens: number | null;
  readonly mostTokens: number | null;
  /** The bills with each answer read once, relative to sending everything. */
  readonly bill: Readonly<Record<BillId, number | null>>;
}

/**
 * The figures of a policy at a budget, over all sessions that count there. They are pooled: sums over sums, so that a
 * call has the same weight in every session. Tokens are characters / 4; shares are from 0 to 1.
 */
export interface PolicyFigures {
  readonly policy: string;
  /** Tokens that no prompt should exceed. */
  readonly budget: number;
  /** Sessions whose history exceeds the budget: the others say nothing at this budget. */
  readonly sessions: number;
  /** Requests that were made, one per recorded call. */
  readonly requests: number;
  readonly tokensSent: number;
  readonly peakTokens: number;
  /** Share of the requests that were within the budget; null without requests. */
  readonly fitRate: number | null;
  /** Share of the requests above the budget although the new messages alone would have fitted. */
  readonly overBudgetAvoidable: number | null;
  readonly commitsPer100Calls: number | null;
  readonly breaksPer100Calls: number | null;
  /** Bills relative to sending everything, summary calls included. */
  readonly bill: Readonly<Record<BillId, number | null>>;
  /** The same under each provider's prompt-cache prices, with pauses from the log's timestamps. */
  readonly providerBills: Readonly<Record<string, ProviderBill>>;
  readonly summaryTokens: { readonly read: number; readonly wrote: number };
  /** Recall of what calls used and had last seen more than ten calls before. */
  readonly coldRecall: RecallFigures;
  /** Recall of everything that calls used and had seen before. */
  readonly recall: RecallFigures;
  /** The size and cost of the answers that make more reachable than the prompt contains. */
  readonly answers: AnswerFigures;
  readonly memory: MemoryFigures;
  /** Share of the standing constraints stated so far that appear verbatim in the prompt, over all requests. */
  readonly constraintSurvival: number | null;
  readonly violations: number;
  /** Milliseconds to plan and make a prompt. */
  readonly plannerMs: { readonly median: number | null; readonly p99: number | null };
  readonly emptyPrompts: number;
  readonly newestLost: number;
  readonly throws: number;
  /** The first things that the policy threw, for people. */
  readonly problems: readonly string[];
}

/** A bill in input-token equivalents, and relative to sending everything. */
export interface ProviderBill {
  readonly tokens: number;
  readonly relative: number | null;
}
