import type { MessageGroup } from "../../groups/message-group.ts";
import {
  type Assignment,
  type Claim,
  type NormalizationChange,
  type NormalizationRule,
  strengthOf,
} from "../normalization.ts";
import { removesMessages } from "../plan-record.ts";

/**
 * Half a group is never taken out (A4, A5). Where a record that removes messages holds part of a group, the strongest record in
 * that group decides: if it removes messages it takes the whole group, otherwise the removing records let go of it.
 */
export const wholeGroups: NormalizationRule = {
  name: "whole-groups",
  apply(assignment: Assignment): readonly NormalizationChange[] {
    const seen = new Set<number>();
    const changes: NormalizationChange[] = [];
    for (const [ordinal, index] of [...assignment.owner]) {
      if (!removesMessages((assignment.claims[index] as Claim).record)) continue;
      const group = assignment.shape.groupOf(ordinal);
      if (seen.has(group.index)) continue;
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

/** True when records of one removing action hold every member: one record, or the runs that one was split into. */
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
