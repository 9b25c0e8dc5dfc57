import type { Bills } from "../measure/call-bill.ts";
import type { PromptMemory } from "../memory/session-memory.ts";

/** For a set of needs, how many were in the prompt, and how many were there or in the answer to one query. */
export interface NeedTally {
  readonly needs: number;
  readonly direct: number;
  /** With the query that a session makes automatically from the last messages. */
  readonly reachable: number;
  /** With a query of what the agent said with the call, or said last. */
  readonly byOwnWords: number;
  /** With a query of all words of the call. */
  readonly byCallWords: number;
}

/** The figures of one call of a replay. Tokens are characters / 4. */
export interface CallFigures {
  readonly at: number;
  readonly tokens: number;
  readonly bills: Bills;
  readonly breaks: boolean;
  readonly committed: boolean;
  readonly summaryRead: number;
  readonly summaryWrote: number;
  readonly milliseconds: number;
  readonly all: NeedTally;
  /** For the needs that were last seen long ago. */
  readonly cold: NeedTally;
  /**
   * Tokens of the answer to the session's own query; null for a call whose needs were all in the prompt, and without
   * recall.
   */
  readonly answerTokens: number | null;
  /** What the prompt remembers of the work; null for a call at which that is not asked. */
  readonly memory: PromptMemory | null;
  /** Standing constraints stated before the call, and how many of them appear verbatim in the prompt. */
  readonly constraints: number;
  readonly constraintsKept: number;
  readonly violations: number;
  readonly overBudget: boolean;
  /**
   * True when what the log adds before the call exceeds the budget together with the system text: no policy can help.
   */
  readonly unavoidable: boolean;
  readonly empty: boolean;
  readonly newestLost: boolean;
  /** True when the policy threw: there is no prompt, so nothing that the call needs is there. */
  readonly thrown: boolean;
}
