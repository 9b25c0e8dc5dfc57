import type { MessageHeader } from "../budget/message-header.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { MessageId } from "../model/ids.ts";
import type { Steps } from "../time/steps.ts";
import type { MessageGroup } from "./message-group.ts";
import { COMPACTION_PRECEDENCE, kindOf, type PlanRecord, removesMessages } from "./plan-record.ts";
import type { OrdinalMap, ThreadShape } from "./thread-shape.ts";

/** A change that a normalization rule made, for people and for the journal. */
export interface NormalizationChange {
  /** Name of the normalization rule that made the change. */
  readonly rule: string;
  readonly problem: string;
  /** The messages that the change affects. */
  readonly messageIds: readonly MessageId[];
}

/** A record and the ordinals of the messages that it claims, ascending. */
export interface Claim {
  readonly record: PlanRecord;
  readonly ordinals: readonly number[];
}

/** Which claim owns each message while rules are applied. `owner` maps a message ordinal to an index in `claims`. */
export interface Assignment {
  readonly claims: readonly Claim[];
  readonly owner: OrdinalMap<number>;
  readonly shape: ThreadShape;
}

/** A named normalization rule: changes the assignment and returns its changes, in steps. Applied until nothing changes. */
export interface NormalizationRule {
  readonly name: string;
  apply(assignment: Assignment): Steps<readonly NormalizationChange[]>;
}

/** The number of messages that are processed in one step: less than a millisecond. */
const AT_A_TIME = 4_096;

/** Returns the strength of a claim: the precedence of its action. */
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

/** System messages are instructions, not history: no record may cover one. */
export const keepSystem: NormalizationRule = {
  name: "keep-system",
  *apply({ owner, shape }: Assignment): Steps<readonly NormalizationChange[]> {
    const changes: NormalizationChange[] = [];
    let passed = 0;
    for (const [ordinal] of owner) {
      if (++passed % AT_A_TIME === 0) yield;
      const { id, role } = shape.header(ordinal);
      if (role !== "system") continue;
      owner.delete(ordinal);
      const problem = "a system message cannot be folded; it is included";
      changes.push({ rule: "keep-system", problem, messageIds: [id] });
    }
    return changes;
  },
};

/**
 * A provider's opaque item is sent byte for byte or not at all: its message may be dropped or summarized, but not
 * rewritten. The provider's own compaction may only be dropped.
 */
export const keepOpaque: NormalizationRule = {
  name: "keep-opaque",
  *apply({ claims, owner, shape }: Assignment): Steps<readonly NormalizationChange[]> {
    const changes: NormalizationChange[] = [];
    let passed = 0;
    for (const [ordinal, index] of owner) {
      if (++passed % AT_A_TIME === 0) yield;
      if (mayHold((claims[index] as Claim).record, shape.header(ordinal))) continue;
      const released = shape.groupOf(ordinal).ordinals.filter((member) => owner.delete(member));
      changes.push({
        rule: "keep-opaque",
        problem: "an opaque provider item cannot be rewritten; its group is included",
        messageIds: released.map((member) => shape.header(member).id),
      });
    }
    return changes;
  },
};

function mayHold(record: PlanRecord, { opaque, holdsCompaction }: MessageHeader): boolean {
  if (!opaque) return true;
  const { mayHoldOpaque } = kindOf(record);
  return mayHoldOpaque === "always" || (mayHoldOpaque === "unless-compaction" && !holdsCompaction);
}

/**
 * A group is never removed by half (A4, A5). When a record that removes messages covers part of a group, the strongest
 * record in that group decides: if it removes messages, it takes the whole group; otherwise the removing records
 * release it.
 */
export const wholeGroups: NormalizationRule = {
  name: "whole-groups",
  *apply(assignment: Assignment): Steps<readonly NormalizationChange[]> {
    const { claims, owner, shape } = assignment;
    const seen = new Set<number>();
    let passed = 0;
    let last: MessageGroup | undefined;
    const changes: NormalizationChange[] = [];
    for (const [ordinal, index] of owner) {
      if (++passed % AT_A_TIME === 0) yield;
      if (!removesMessages((claims[index] as Claim).record)) continue;
      const group = shape.groupOf(ordinal);
      if (group === last || seen.has(group.index)) continue;
      last = group;
      // The usual case: one record covers the whole group. `seen` leaves these out, or it would grow with the history.
      if (group.ordinals.every((member) => owner.get(member) === index)) continue;
      seen.add(group.index);
      const change = closeGroup(assignment, group);
      if (change !== null) changes.push(change);
    }
    return changes;
  },
};

function closeGroup({ claims, owner, shape }: Assignment, group: MessageGroup): NormalizationChange | null {
  const held = group.ordinals.map((ordinal) => owner.get(ordinal));
  const winner = held.reduce((best, index) => stronger(claims, best, index), undefined);
  if (winner === undefined || isTakenOut(claims, held)) return null;
  const removes = removesMessages((claims[winner] as Claim).record);
  const changed = group.ordinals.filter((ordinal) => {
    const index = owner.get(ordinal);
    if (removes) return index !== winner && owner.set(ordinal, winner);
    return index !== undefined && removesMessages((claims[index] as Claim).record) && owner.delete(ordinal);
  });
  if (changed.length === 0) return null;
  const action = (claims[winner] as Claim).record.action;
  return {
    rule: "whole-groups",
    problem: removes
      ? `a record of action ${action} held half a group; it now holds the whole`
      : `a record held half a group whose other half is under ${action}; it let go of it`,
    messageIds: changed.map((ordinal) => shape.header(ordinal).id),
  };
}

/** True when records of one removing action cover every member: one record, or the runs that one was split into. */
function isTakenOut(claims: readonly Claim[], held: readonly (number | undefined)[]): boolean {
  const records = held.map((index) => (index === undefined ? undefined : (claims[index] as Claim).record));
  return records.every(
    (record) => record !== undefined && removesMessages(record) && record.action === records[0]?.action,
  );
}

function stronger(claims: readonly Claim[], best: number | undefined, index: number | undefined): number | undefined {
  if (best === undefined || index === undefined) return best ?? index;
  const difference = strengthOf(claims[index] as Claim) - strengthOf(claims[best] as Claim);
  return difference > 0 || (difference === 0 && index < best) ? index : best;
}
