/** What a trigger may look at. All figures are known without reading the thread. */
export interface TriggerInput {
  /** Tokens of the request as the current plan renders it. */
  readonly tokens: number;
  /** The hard cap in tokens. */
  readonly maxInputTokens: number;
  readonly turns: number;
  readonly steps: number;
  readonly messages: number;
  /** Prompt tokens that the provider reported for a request under the current plan. */
  readonly reportedTokens?: number;
  /** True when the provider refused the last request because it was too long. */
  readonly overflowed?: boolean;
}

/** `soft`: fold if it pays. `hard`: fold now, whatever it costs. */
export type TriggerDecision = { readonly level: "none" } | { readonly level: "soft" | "hard"; readonly reason: string };

/** Says whether to fold before the next request. */
export interface CompactionTrigger {
  readonly name: string;
  evaluate(input: TriggerInput): TriggerDecision;
}

export const NO_TRIGGER: TriggerDecision = Object.freeze({ level: "none" });
