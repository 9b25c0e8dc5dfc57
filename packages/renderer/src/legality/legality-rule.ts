import type { FormatRequirements } from "../capabilities/format-requirements.ts";

/** What a format asks of a request, as data: what rendering conforms to, and the rules that a payload is checked against. */
export interface LegalityTable {
  readonly requirements: FormatRequirements;
  readonly rules: readonly LegalityRuleInfo[];
}

/** Where in a payload something is: a message and one of its blocks, or a path of its own. */
export type Place =
  | { readonly message: number; readonly block?: number; readonly field?: string }
  | { readonly path: string };

/** One breach of a rule. */
export interface Finding {
  readonly place: Place;
  readonly problem: string;
}

/** A rule of a provider's format as data. */
export interface LegalityRuleInfo {
  /** Stable id, as violations name it: the scenario's id where there is one (`W1`), else words. */
  readonly id: string;
  /** What the provider asks, in one sentence. */
  readonly description: string;
  /** What the rule is about, such as `Reasoning`. The rule stands in docs/spec/wire.md under its id, with what to do. */
  readonly reference: string;
}

/** A rule that can be checked on a format's own view of a payload. */
export interface LegalityRule<View> extends LegalityRuleInfo {
  find(view: View): readonly Finding[];
}

/** What a rule looks for, without saying for which format. */
export const at = (message: number, block?: number, field?: string): Place => ({
  message,
  ...(block !== undefined && { block }),
  ...(field !== undefined && { field }),
});

/** A JSON object of unknown content. */
export type PlainObject = Readonly<Record<string, unknown>>;

export const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
