import type { FormatRequirements } from "../conform/format-requirements.ts";
import type { LegalityRuleInfo } from "./legality-rule.ts";

/** What a format asks of a request, as data: what rendering conforms to, and the rules that a payload is checked against. */
export interface LegalityTable {
  readonly requirements: FormatRequirements;
  readonly rules: readonly LegalityRuleInfo[];
}
