import { ThreadfoldError } from "@threadfold/core";

/** What a trigger may look at. All figures are known without reading the thread. */
export interface TriggerInput {
  /** Tokens of the request as the current plan renders it. */
  readonly tokens: number;
  /** What shares are shares of: the cap less what is kept free for the answer (`roomTokens`). */
  readonly roomTokens: number;
  /** Tokens that the request spends before its first message: system text, tools, what the provider adds. 0 when it is left out. */
  readonly overheadTokens?: number;
  /** The most that the request may take (`TokenBudget.limitTokens`); the room where it is left out. */
  readonly limitTokens?: number;
  /** The configuration's soft threshold and reserves as tokens (`TokenBudget.softLimit`); the limit where it is left out. */
  readonly softLimit?: number;
  readonly turns: number;
  /** Turns whose start the current plan still shows (`shownTurns`); absent where nobody counts them. */
  readonly shownTurns?: number;
  readonly steps: number;
  readonly messages: number;
  /** Messages that the current plan still shows, its summaries among them (`shownMessages`); absent where nobody counts them. */
  readonly shownMessages?: number;
  /** Tokens of the request right after the current plan was committed; 0, or absent, before the first plan. */
  readonly baselineTokens?: number;
  /** Prompt tokens that the provider reported for a request under the current plan, and what was counted since (L17). */
  readonly reportedTokens?: number;
  /** What the provider counted of the newest answer beyond what the request shows of it, such as thinking; 0 when unknown. */
  readonly unshownTokens?: number;
  /** True when the provider refused the last request because it was too long, and no fold has answered that yet (L19). */
  readonly overflowed?: boolean;
  /** True when the last answer ended because it was as long as it may be, and no fold has answered that yet (L19). */
  readonly stoppedAtMaxOutput?: boolean;
  /** Seconds since the last request; absent before the first one. */
  readonly idleSeconds?: number;
  /** True when the provider has dropped the prompt from its cache since the last request. */
  readonly cacheIsCold?: boolean;
  /** True when a person or the host asked for a fold. */
  readonly requested?: boolean;
}

/** `soft`: fold if it pays. `hard`: fold now, whatever it costs. */
export type TriggerDecision =
  | { readonly level: "none" }
  | {
      readonly level: "soft" | "hard";
      readonly reason: string;
      /** Fold down to at most this many tokens, when that is less than the configured target. */
      readonly targetTokens?: number;
    };

/** Decides whether to fold before the next request. */
export interface CompactionTrigger {
  readonly name: string;
  evaluate(input: TriggerInput): TriggerDecision;
}

/** True when the request takes more than it may: a fold cannot wait. */
export const isOverLimit = ({ tokens, roomTokens, limitTokens = roomTokens }: TriggerInput): boolean =>
  tokens > limitTokens;

export const NO_TRIGGER: TriggerDecision = Object.freeze({ level: "none" });

/** @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1. */
export function refuseShare(name: string, share: number): void {
  if (share > 0 && share <= 1) return;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `The share of ${name} is ${share}; it must be more than 0 and at most 1.`,
  );
}
