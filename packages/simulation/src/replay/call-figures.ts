import type { Bills } from "../measure/call-bill.ts";
import type { PromptMemory } from "../memory/session-memory.ts";

/** Of some needs, how many stood in the prompt, and how many stood there or in the answer to one query. */
export interface NeedTally {
  readonly needs: number;
  readonly direct: number;
  /** By the query that a session makes by itself, of the last messages. */
  readonly reachable: number;
  /** By what the agent said with the call, or said last. */
  readonly byOwnWords: number;
  /** By all words of the call. */
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
  /** Of the needs that were last seen long ago. */
  readonly cold: NeedTally;
  /** Tokens of the answer to the session's own query; null at a call whose needs all stood in the prompt, and without recall. */
  readonly answerTokens: number | null;
  /** What the prompt remembers of the work; null at a call that is not asked. */
  readonly memory: PromptMemory | null;
  /** Standing constraints said before the call, and how many of them stand verbatim in the prompt. */
  readonly constraints: number;
  readonly constraintsKept: number;
  readonly violations: number;
  readonly overBudget: boolean;
  /** True when what the log adds before the call exceeds the budget with the system text alone: no policy can help. */
  readonly unavoidable: boolean;
  readonly empty: boolean;
  readonly newestLost: boolean;
  /** True when the policy threw: there is no prompt, and nothing of what the call needs is there. */
  readonly thrown: boolean;
}
