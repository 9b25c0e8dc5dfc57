import { ThreadfoldError } from "@threadfold/core";

/** The figures that a trigger may look at. All of them are known without reading the thread. */
export interface TriggerInput {
  /** Tokens of the request as the current plan renders it. */
  readonly tokens: number;
  /** The room, which shares refer to: the cap minus the tokens kept free for the answer (`roomTokens`). */
  readonly roomTokens: number;
  /** Tokens before the first message of the request: system text, tools, what the provider adds. 0 when left out. */
  readonly overheadTokens?: number;
  /** The most tokens that the request may take (`TokenBudget.limitTokens`). Defaults to the room. */
  readonly limitTokens?: number;
  /** The configured soft threshold and reserves, in tokens (`TokenBudget.softLimit`). Defaults to the limit. */
  readonly softLimit?: number;
  readonly turns: number;
  /** Turns whose start the current plan still shows (`shownTurns`); absent when they are not counted. */
  readonly shownTurns?: number;
  readonly steps: number;
  readonly messages: number;
  /** Messages that the current plan still shows, including its summaries (`shownMessages`); absent when not counted. */
  readonly shownMessages?: number;
  /** Tokens of the request right after the current plan was committed; 0, or absent, before the first plan. */
  readonly baselineTokens?: number;
  /** Prompt tokens that the provider reported for a request under the current plan, plus those counted since (L17). */
  readonly reportedTokens?: number;
  /** Tokens of the newest answer that the provider counted but the request omits, such as thinking; 0 when unknown. */
  readonly unshownTokens?: number;
  /** True when the provider refused the last request as too long, and there has been no fold since (L19). */
  readonly overflowed?: boolean;
  /** True when the last answer was cut off at the output limit, and there has been no fold since (L19). */
  readonly stoppedAtMaxOutput?: boolean;
  /** Seconds since the last request; absent before the first one. */
  readonly idleSeconds?: number;
  /** True when the provider has dropped the prompt from its cache since the last request. */
  readonly cacheIsCold?: boolean;
  /** True when a person or the host asked for a fold. */
  readonly requested?: boolean;
}

/** What a trigger decides. `soft`: fold if it pays. `hard`: fold now, whatever it costs. */
export type TriggerDecision =
  | { readonly level: "none" }
  | {
      readonly level: "soft" | "hard";
      readonly reason: string;
      /** Fold down to at most this many tokens, if that is less than the configured target. */
      readonly targetTokens?: number;
    };

/** Decides whether to fold before the next request. */
export interface CompactionTrigger {
  readonly name: string;
  evaluate(input: TriggerInput): TriggerDecision;
}

/** Checks whether the request exceeds its limit, so that a fold cannot wait. */
export const isOverLimit = ({ tokens, roomTokens, limitTokens = roomTokens }: TriggerInput): boolean =>
  tokens > limitTokens;

export const NO_TRIGGER: TriggerDecision = Object.freeze({ level: "none" });

/**
 * Checks a share.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1.
 */
export function refuseShare(name: string, share: number): void {
  if (typeof share === "number" && share > 0 && share <= 1) return;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `The share of ${name} is ${share}; it must be more than 0 and at most 1.`,
  );
}

/**
 * Wraps a trigger, which may be the host's own: its decisions are checked, and the error of one that fails names it. Of
 * triggers within triggers, it names the innermost.
 */
export const checkedTrigger = (trigger: CompactionTrigger): CompactionTrigger => ({
  get name() {
    return trigger.name;
  },
  evaluate(input) {
    try {
      const decision: Partial<TriggerDecision> | undefined = trigger.evaluate(input);
      if (isDecision(decision)) return decision;
    } catch (cause) {
      throw partFailed(`The trigger ${trigger.name}`, cause);
    }
    throw partFailed(`The trigger ${trigger.name}`, "it returned no decision whose level is none, soft or hard");
  },
});

const LEVELS: readonly unknown[] = ["none", "soft", "hard"] satisfies TriggerDecision["level"][];

const isDecision = (value: Partial<TriggerDecision> | undefined): value is TriggerDecision =>
  LEVELS.includes(value?.level);

/** The most that is quoted of what a part threw, in UTF-16 code units. */
const QUOTED = 300;

/**
 * Makes the error of a trigger or a strategy that failed. It says what was thrown, unlike `problemOf`: these parts see
 * figures and headers only, so that their errors can quote no message. Typed errors are returned as they are.
 *
 * @param part the part, as the error names it: `The strategy own`.
 */
export function partFailed(part: string, cause: unknown): ThreadfoldError {
  if (ThreadfoldError.isInstance(cause)) return cause;
  const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new ThreadfoldError("INVALID_CONFIG", `${part} failed: ${said.slice(0, QUOTED)}.`, {
    cause,
    details: { part },
    hint: "Correct it, or leave it out of the preset. `strategyLaws` tries strategies.",
  });
}
