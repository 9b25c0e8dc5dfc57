import { type AttemptRow, callBlocks, type InspectionIndex, type RecordRow } from "@threadfold/inspection/rows";
import { holds } from "./messages-at.ts";

/** One step in the history of a message: what was done with it from a plan on. */
export interface TrailStep {
  /** The first call that shows it; -1 when no call was made under the plan or a later one. */
  readonly call: number;
  /** The plan that did it; 0 for the time before any plan covered the message. */
  readonly plan: number;
  readonly action: RecordRow["action"] | "include";
  /** The decision that caused it; null while the message was shown unchanged. */
  readonly record: RecordRow | null;
  /** Tokens that stood for it and the messages folded with it; null if no request showed it this way. */
  readonly tokens: number | null;
  /** Tokens that a request could take at that call; null if unknown. */
  readonly limit: number | null;
}

/** Returns what happened to a message over the plans, oldest first; empty for a message that no call has shown yet. */
export function trailOf(index: InspectionIndex, ordinal: number): readonly TrailStep[] {
  const held = index.records
    .filter((record) => holds(record, ordinal))
    .sort((a, b) => a.fromPlan - b.fromPlan)
    .flatMap((record, at, all) => {
      const next = all[at + 1];
      const returned = record.toPlan + 1 < (next?.fromPlan ?? record.toPlan + 1);
      const isBack = next === undefined ? record.toPlan < index.thread.planVersion : returned;
      return [foldedStep(index, record), ...(isBack ? [shownStep(index, ordinal, record.toPlan + 1)] : [])];
    });
  const firstCall = index.messages.firstCall[ordinal] ?? -1;
  const first = held[0];
  const wasShown = firstCall >= 0 && (first === undefined || first.call === -1 || firstCall < first.call);
  return [
    ...(wasShown ? [{ ...shownStep(index, ordinal, 0), call: firstCall, limit: limitAt(index, firstCall) }] : []),
    ...held,
  ];
}

/**
 * Returns the newest plan that showed a message unchanged before it was folded; 0, which shows everything, if none did.
 */
export function lastShownPlan({ records, thread }: InspectionIndex, ordinal: number): number {
  const held = records.filter((record) => holds(record, ordinal));
  let plan = thread.planVersion;
  while (plan > 0 && held.some(({ fromPlan, toPlan }) => fromPlan <= plan && plan <= toPlan)) plan--;
  return plan;
}

/** Returns the tokens shown for a decision's messages, by its plan or the first request under it; null if unknown. */
export function tokensShown(index: InspectionIndex, record: RecordRow): number | null {
  if (record.shownTokens !== null) return record.shownTokens;
  const { blocks, records } = index;
  const call = firstCallUnder(index, record.fromPlan);
  const places =
    call < 0 ? [] : callBlocks(index, call).filter((place) => records[blocks.record[place] ?? -1] === record);
  return places.length === 0 ? null : places.reduce((sum, place) => sum + (blocks.tokens[place] ?? 0), 0);
}

function foldedStep(index: InspectionIndex, record: RecordRow): TrailStep {
  const call = firstCallUnder(index, record.fromPlan);
  return {
    call,
    plan: record.fromPlan,
    action: record.action,
    record,
    tokens: tokensShown(index, record),
    limit: limitAt(index, call),
  };
}

function shownStep(index: InspectionIndex, ordinal: number, plan: number): TrailStep {
  const call = firstCallUnder(index, plan);
  return {
    call,
    plan,
    action: "include",
    record: null,
    tokens: index.messages.tokens[ordinal] ?? null,
    limit: limitAt(index, call),
  };
}

/** If no call was made under a plan, its effect was first seen under the next plan that had one. */
const firstCallUnder = ({ plans }: InspectionIndex, version: number): number =>
  version === 0 ? -1 : (plans.slice(version - 1).find(({ firstCall }) => firstCall >= 0)?.firstCall ?? -1);

const limitAt = ({ calls }: InspectionIndex, call: number): number | null => calls.limit[call] ?? null;

/** Returns the folds that were due between the previous call and this one but made no plan. */
export const attemptsBefore = ({ attempts }: Pick<InspectionIndex, "attempts">, call: number): readonly AttemptRow[] =>
  attempts.filter((attempt) => attempt.call === call - 1);

/** Returns the attempts since the newest plan was made: why there is no newer one. */
export const attemptsSincePlan = ({
  attempts,
  thread,
}: Pick<InspectionIndex, "attempts" | "thread">): readonly AttemptRow[] =>
  attempts.filter(({ planVersion }) => planVersion === thread.planVersion);
