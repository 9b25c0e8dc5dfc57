import type { MessageId } from "../model/ids.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import { groupRecords, planRecords } from "./compaction-plan.ts";
import {
  type Assignment,
  type Claim,
  compareClaims,
  keepOpaque,
  keepSystem,
  type NormalizationChange,
  type NormalizationRule,
  strengthOf,
  wholeGroups,
} from "./normalization-rules.ts";
import { kindOf, type PlanRecord, type PlanRecords, removesMessages } from "./plan-record.ts";
import { OrdinalMap, type ThreadShape } from "./thread-shape.ts";

/** The normalization rules, in the order in which they are applied. */
export const NORMALIZATION_RULES: readonly NormalizationRule[] = [keepSystem, keepOpaque, wholeGroups];

/** Records in normal form, and the changes that were needed to get there. */
export interface NormalizedRecords {
  readonly records: PlanRecords;
  readonly changes: readonly NormalizationChange[];
}

/**
 * Brings records into normal form: a message id is in at most one record (drop > externalize > summarize > clear; among
 * equals, the record that starts earlier), a group is never removed by half, and a span that a stronger record punches
 * a hole into becomes one record per remaining run, each rendered once at its own first message. Unknown ids are left
 * out (V6). The result does not depend on the order of the records, and normalizing it again changes nothing.
 */
export const normalizePlan = (records: PlanRecords, shape: ThreadShape): NormalizedRecords =>
  finishSteps(normalizePlanInSteps(records, shape));

/** Does the same as {@link normalizePlan}, in steps. */
export function* normalizePlanInSteps(records: PlanRecords, shape: ThreadShape): Steps<NormalizedRecords> {
  const changes: NormalizationChange[] = [];
  const claims: Claim[] = [];
  for (const [index, record] of planRecords(records).entries()) {
    if (index % RECORDS_AT_A_TIME === 0) yield;
    claims.push(...claimsOf(record, shape, changes));
  }
  claims.sort(compareClaims);
  yield;
  const owner = yield* assignByPrecedence(claims, shape, changes);
  const assignment: Assignment = { claims, owner, shape };
  yield* applyToFixpoint(assignment, changes);
  return { records: groupRecords(yield* materialize(assignment)), changes };
}

function claimsOf(record: PlanRecord, shape: ThreadShape, changes: NormalizationChange[]): readonly Claim[] {
  const placed = shape.ordinalsOf(record.span);
  if (placed !== undefined) return [{ record, ordinals: placed }];
  const unknown: MessageId[] = [];
  const ordinals: number[] = [];
  for (const id of record.span.messageIds) {
    const header = shape.headerOf(id);
    if (header === undefined) unknown.push(id);
    else ordinals.push(header.ordinal);
  }
  if (unknown.length > 0) {
    changes.push({
      rule: "known-messages",
      problem: "the thread has no such message; it is left out",
      messageIds: unknown,
    });
  }
  const ordered = [...new Set(ordinals)].sort((a, b) => a - b);
  return ordered.length === 0 ? [] : [{ record, ordinals: ordered }];
}

/** The number of messages that are processed in one step: less than a millisecond. */
const AT_A_TIME = 4_096;
/** The number of records that are looked up in one step. Each may name any number of messages. */
const RECORDS_AT_A_TIME = 64;

function* assignByPrecedence(
  claims: readonly Claim[],
  shape: ThreadShape,
  changes: NormalizationChange[],
): Steps<OrdinalMap<number>> {
  const owner = new OrdinalMap<number>();
  const contested = new Map<number, MessageId[]>();
  let seen = 0;
  for (const [index, claim] of claims.entries()) {
    for (const ordinal of claim.ordinals) {
      if (++seen % AT_A_TIME === 0) yield;
      const holder = owner.get(ordinal);
      if (holder === undefined) {
        owner.set(ordinal, index);
        continue;
      }
      const wins = strengthOf(claim) > strengthOf(claims[holder] as Claim);
      if (wins) owner.set(ordinal, index);
      const loser = wins ? holder : index;
      const lost = contested.get(loser);
      if (lost === undefined) contested.set(loser, [shape.header(ordinal).id]);
      else lost.push(shape.header(ordinal).id);
    }
  }
  for (const [loser, messageIds] of contested) {
    const { action } = (claims[loser] as Claim).record;
    changes.push({
      rule: "precedence",
      problem: `a stronger or earlier record holds these messages of a ${action} record`,
      messageIds,
    });
  }
  return owner;
}

/**
 * Applies the rules until nothing changes. This ends because they only release messages or give whole groups to their
 * strongest record, so each message changes a bounded number of times.
 */
function* applyToFixpoint(assignment: Assignment, changes: NormalizationChange[]): Steps<void> {
  let changed = true;
  for (let pass = 0; changed && pass <= assignment.claims.length + NORMALIZATION_RULES.length; pass++) {
    changed = false;
    for (const rule of NORMALIZATION_RULES) {
      yield;
      const made = yield* rule.apply(assignment);
      changed ||= made.length > 0;
      for (const change of made) changes.push(change);
    }
  }
  yield;
}

function* materialize({ claims, owner, shape }: Assignment): Steps<readonly PlanRecord[]> {
  const held = new Map<number, number[]>();
  let seen = 0;
  for (const [ordinal, index] of owner) {
    const ordinals = held.get(index);
    if (ordinals === undefined) held.set(index, [ordinal]);
    else ordinals.push(ordinal);
    if (++seen % AT_A_TIME === 0) yield;
  }
  const placed: PlacedRecord[] = [];
  for (const [index, ordinals] of held) {
    yield;
    // Not spread into arguments: a record may fall into more runs than a call takes.
    for (const part of yield* splitInSteps((claims[index] as Claim).record, ordinals, shape)) placed.push(part);
  }
  return placed.sort((a, b) => a.first - b.first).map(({ record }) => record);
}

/** A record and the ordinal of its first message. */
export interface PlacedRecord {
  readonly first: number;
  readonly record: PlanRecord;
}

/**
 * Returns what remains of a record when it covers only the given messages. A record that removes messages becomes one
 * per unbroken run; its summary's items go to the run that they were taken from. Messages of side branches do not break
 * a run, because no prompt shows them.
 */
export function splitRecord(
  record: PlanRecord,
  ordinals: readonly number[],
  shape: ThreadShape,
): readonly PlacedRecord[] {
  return finishSteps(splitInSteps(record, ordinals, shape));
}

function* splitInSteps(
  record: PlanRecord,
  ordinals: readonly number[],
  shape: ThreadShape,
): Steps<readonly PlacedRecord[]> {
  const runs = removesMessages(record) ? yield* unbrokenRuns(ordinals, shape) : [ordinals];
  if (runs.length === 1 && (yield* isWhole(record, ordinals, shape))) return [{ first: ordinals[0] as number, record }];
  const runOf = (id: MessageId): number | undefined => runAt(shape.ordinalOf(id), runs, shape);
  const placed: PlacedRecord[] = [];
  for (const [index, run] of runs.entries()) {
    yield;
    const span = yield* shape.spanInSteps(run);
    const part = { ordinals: run, shape, index, count: runs.length, runOf };
    placed.push({
      first: run[0] as number,
      record: kindOf(record).restrict(record, { ...part, span, originalTokens: shape.tokensOf(run) }),
    });
  }
  return placed;
}

/** Returns the index of the run that a message is in. What is left out of a shape is where the message before it is. */
function runAt(
  ordinal: number | undefined,
  runs: readonly (readonly number[])[],
  shape: ThreadShape,
): number | undefined {
  if (ordinal === undefined) return undefined;
  const index = lastAtMost(ordinal, runs, ([first]) => first as number);
  const run = runs[index] ?? [];
  const before = run[lastAtMost(ordinal, run, (member) => member)];
  return before !== undefined && ordinal < shape.after(before) ? index : undefined;
}

/** Returns the index of the last item, in ascending order, whose ordinal is at most the given one; -1 when none is. */
function lastAtMost<Item>(ordinal: number, items: readonly Item[], ordinalOf: (item: Item) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordinalOf(items[middle] as Item) <= ordinal) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function* isWhole({ span }: PlanRecord, ordinals: readonly number[], shape: ThreadShape): Steps<boolean> {
  // The same messages have the same list, which spares a long span from being compared message by message.
  if (ordinals.length > AT_A_TIME && (yield* shape.spanInSteps(ordinals)).messageIds === span.messageIds) return true;
  const all = shape.ordinalsOf(span);
  yield;
  return all?.length === ordinals.length && all.every((ordinal, index) => ordinal === ordinals[index]);
}

function* unbrokenRuns(ordinals: readonly number[], shape: ThreadShape): Steps<readonly (readonly number[])[]> {
  const runs: number[][] = [];
  for (const [index, ordinal] of ordinals.entries()) {
    const run = runs.at(-1);
    const previous = run?.at(-1);
    if (run !== undefined && previous !== undefined && nothingShownBetween(previous, ordinal, shape)) run.push(ordinal);
    else runs.push([ordinal]);
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
  }
  return runs;
}

/** Checks whether no message between two shows in any prompt: there is none, or only such of side branches. */
export function nothingShownBetween(from: number, to: number, shape: ThreadShape): boolean {
  for (let ordinal = shape.after(from); ordinal < to; ordinal = shape.after(ordinal))
    if (shape.header(ordinal).branch === undefined) return false;
  return true;
}
