import type { BillId } from "../measure/call-bill.ts";

/**
 * What prompts remember of the work that is older than ten calls, asked at every fifth call once the whole history exceeds
 * the budget. Shares are from 0 to 1, and null when nothing was asked. All but `name` and `bareNames` count what stands
 * together with what it belongs to in one passage.
 */
export interface MemoryFigures {
  /** Of what users asked. */
  readonly ask: number | null;
  /** Of what the agent itself said it had found or done. */
  readonly report: number | null;
  /** Of those reports, with one sentence at least standing word for word. */
  readonly quote: number | null;
  /** Of the lines of the newest handoff or compaction summary in the log. Null where logs have none. */
  readonly handoff: number | null;
  /** Of the changes of files: the file with names that were changed in it. */
  readonly edit: number | null;
  /** Of the latest runs of commands: the command with its outcome. */
  readonly run: number | null;
  /** Of the names that the call uses: the name with words that stood around it in its source. */
  readonly need: number | null;
  /** Of the same names and others: the name anywhere in the prompt. */
  readonly name: number | null;
  /** Share of what the policy wrote itself that are names in bare lists. */
  readonly bareNames: number | null;
}

/** Shares of some needs, from 0 to 1; null when there were none. */
export interface RecallFigures {
  readonly needs: number;
  /** Of all, those that stood in the prompt. */
  readonly direct: number | null;
  /** Of all, those that stood there or in the answer to the session's own query. */
  readonly reachable: number | null;
  /** The same by what the agent said with the call, or said last. */
  readonly byOwnWords: number | null;
  /** The same by all words of the call. */
  readonly byCallWords: number | null;
}

/** The answers to a session's own query, asked before each call that lacks something; null where none was asked. */
export interface AnswerFigures {
  readonly asked: number;
  /** Tokens of an answer. */
  readonly averageTokens: number | null;
  readonly mostTokens: number | null;
  /** The bills with each answer read once, relative to sending everything. */
  readonly bill: Readonly<Record<BillId, number | null>>;
}

/**
 * The figures of a policy at a budget, over all sessions that count there. Figures are pooled over sessions: sums over
 * sums, so that a call weighs the same in every session. Tokens are characters / 4; shares are from 0 to 1.
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
  /** Share of the requests above the budget although what is new would have fitted. */
  readonly overBudgetAvoidable: number | null;
  readonly commitsPer100Calls: number | null;
  readonly breaksPer100Calls: number | null;
  /** Bills relative to sending everything, summary calls included. */
  readonly bill: Readonly<Record<BillId, number | null>>;
  /** The same under each provider's prompt-cache prices, with the time a prefix stays from the log's timestamps. */
  readonly providerBills: Readonly<Record<string, ProviderBill>>;
  readonly summaryTokens: { readonly read: number; readonly wrote: number };
  /** Of what calls used and had last seen more than ten calls before. */
  readonly coldRecall: RecallFigures;
  /** Of everything that calls used and had seen before. */
  readonly recall: RecallFigures;
  /** What the answers take by which more is reachable than stands in the prompt. */
  readonly answers: AnswerFigures;
  readonly memory: MemoryFigures;
  /** Share of the standing constraints said so far that stand verbatim in the prompt, over all requests. */
  readonly constraintSurvival: number | null;
  readonly violations: number;
  /** Milliseconds to plan and make a prompt. */
  readonly plannerMs: { readonly median: number | null; readonly p99: number | null };
  readonly emptyPrompts: number;
  readonly newestLost: number;
  readonly throws: number;
  /** What the policy threw first, for people. */
  readonly problems: readonly string[];
}

/** A bill in input-token equivalents, and relative to sending everything. */
export interface ProviderBill {
  readonly tokens: number;
  readonly relative: number | null;
}
