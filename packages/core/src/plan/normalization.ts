import { canonicalJson } from "../json/canonical-json.ts";
import type { MessageId } from "../model/ids.ts";
import { COMPACTION_PRECEDENCE, type PlanRecord } from "./plan-record.ts";
import type { ThreadShape } from "./thread-shape.ts";

/** What a rule changed, for people and for the journal. */
export interface NormalizationChange {
  /** Name of the rule. */
  readonly rule: string;
  readonly problem: string;
  /** The messages whose fate changed. */
  readonly messageIds: readonly MessageId[];
}

/** A record and the ordinals of the messages that it claims, ascending. */
export interface Claim {
  readonly record: PlanRecord;
  readonly ordinals: readonly number[];
}

/** Which claim holds each message while rules are applied. `owner` maps a message ordinal to an index of `claims`. */
export interface Assignment {
  readonly claims: readonly Claim[];
  readonly owner: Map<number, number>;
  readonly shape: ThreadShape;
}

/** A named rule of normalization: changes the assignment and says what it changed. Applied until nothing changes. */
export interface NormalizationRule {
  readonly name: string;
  apply(assignment: Assignment): readonly NormalizationChange[];
}

/** How strong a claim is: its action's precedence. */
export const strengthOf = (claim: Claim): number => COMPACTION_PRECEDENCE[claim.record.action];

/**
 * Orders claims so that the result depends on the set of records and not on their order: by first message, then last
 * message, then stronger action, then content.
 */
export function compareClaims(a: Claim, b: Claim): number {
  return (
    (a.ordinals[0] as number) - (b.ordinals[0] as number) ||
    (a.ordinals.at(-1) as number) - (b.ordinals.at(-1) as number) ||
    strengthOf(b) - strengthOf(a) ||
    compareText(canonicalJson(a.record), canonicalJson(b.record))
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
