import {
  type CompactionPlan,
  digestOf,
  type MessageId,
  type OrdinalRun,
  type PlanRecord,
  planRecords,
  runsOfSpan,
  scaledTokens,
  spanLength,
  type TokensBeforeAfter,
  tokenBudget,
} from "@threadfold/core";
import type { Turn } from "../state/turn-state.ts";
import {
  CALLS_OF_HEADROOM,
  type CommitWeighing,
  cacheTemperature,
  callsToWait,
  configForEpoch,
  expectedRemainingCalls,
  growthPerCall,
  weighCommit,
} from "./costs.ts";

/**
 * Estimates what a fold down to the target would cost and save, before anything is made, assuming that everything after
 * system text and tools changes. This avoids paying for summaries of a fold that cannot pay off.
 */
export function forecastFold(turn: Turn, before: number): CommitWeighing | null {
  const { config, overheadTokens } = turn;
  const after = Math.min(before, tokenBudget(configForEpoch(config, growthOf(turn))).target);
  return weigh(turn, before, after, Math.max(0, after - overheadTokens));
}

/**
 * Returns cost and savings of committing a plan that was made and rendered; null when the provider's prices are
 * unknown.
 */
export function weighFold(
  turn: Turn,
  { plan, tokens }: { readonly plan: CompactionPlan; readonly tokens: TokensBeforeAfter },
): CommitWeighing | null {
  return weigh(turn, tokens.before, tokens.after, suffixTokens(turn, plan));
}

/** Returns for how many calls a soft fold is postponed; 0 to fold now. */
export function waitFor(turn: Turn, weighing: CommitWeighing | null): number {
  const { config, history, state } = turn;
  if (weighing === null || !config.costModelEnabled) return 0;
  const { step } = state.thread.position;
  return callsToWait(weighing, {
    history,
    step,
    maxPostponedCalls: config.maxPostponedCalls,
    usedTokens: weighing.before,
    growthPerCall: growthOf(turn),
    limit: tokenBudget(config).planLimitTokens,
  });
}

/** Returns the tokens by which the thread grew in an average call. */
export const growthOf = ({ state }: Turn): number =>
  growthPerCall(state.ledger.totalTokens, state.thread.position.step);

function weigh(turn: Turn, before: number, after: number, suffix: number): CommitWeighing | null {
  const { price, config, state, idleSeconds } = turn;
  if (price === undefined) return null;
  return weighCommit({
    before,
    after,
    suffix,
    expectedCalls: expectedRemainingCalls(state.thread.position.step, config.expectedCallsPrior),
    temperature: cacheTemperature({ promptTokens: before, idleSeconds, price }),
    price,
  });
}

/** Returns the tokens of the new request from the first message on that the current plan shows differently. */
function suffixTokens({ plan, state, renderer, usage }: Turn, next: CompactionPlan): number {
  const ordinalOf = (id: MessageId) => state.thread.message(id)?.ordinal;
  const edit = firstEdit(plan, next, ordinalOf);
  if (edit === null) return 0;
  const { messages } = renderer.render(next).rendering.manifest;
  // The ends of what a plan hides are in memory, and the last of them tells.
  const reached = (id: MessageId): number => state.thread.messageInMemory(id)?.ordinal ?? -1;
  const from = messages.findIndex(({ sources }) => sources.some((id) => reached(id) >= edit));
  if (from < 0) return 0;
  return scaledTokens(
    usage.estimate,
    messages.slice(from).reduce((sum, { tokens }) => sum + tokens, 0),
  );
}

/** Returns the ordinal of the first message that two plans show differently; null when both show the same. */
export function firstEdit(
  before: CompactionPlan,
  after: CompactionPlan,
  ordinalOf: (id: MessageId) => number | undefined,
): number | null {
  const shown = placedRecords(before, ordinalOf);
  const shownNow = placedRecords(after, ordinalOf);
  const same = recordComparison();
  // No record begins or ends between two of these places.
  const places = [...shown, ...shownNow].flatMap(({ from, to }) => [from, to + 1]);
  for (const place of new Set(places.sort((a, b) => a - b))) {
    const covers = ({ from, to }: PlacedRecord): boolean => from <= place && place <= to;
    if (!same(shown.find(covers)?.record, shownNow.find(covers)?.record)) return place;
  }
  return null;
}

interface PlacedRecord extends OrdinalRun {
  readonly record: PlanRecord;
}

const placedRecords = (
  plan: CompactionPlan,
  ordinalOf: (id: MessageId) => number | undefined,
): readonly PlacedRecord[] =>
  planRecords(plan).flatMap((record) =>
    (runsOfSpan(record.span, ordinalOf) ?? runsOfEach(record, ordinalOf)).map((run) => ({ ...run, record })),
  );

const runsOfEach = ({ span }: PlanRecord, ordinalOf: (id: MessageId) => number | undefined): readonly OrdinalRun[] =>
  span.messageIds.flatMap((id) => {
    const ordinal = ordinalOf(id);
    return ordinal === undefined ? [] : [{ from: ordinal, to: ordinal }];
  });

/**
 * Compares what records show, by digest, because they are copied when a plan is built on another. Each is digested at
 * most once, and only to compare it with another one of the same length.
 */
function recordComparison(): (one: PlanRecord | undefined, other: PlanRecord | undefined) => boolean {
  const digests = new Map<PlanRecord, string>();
  const digest = (record: PlanRecord): string => {
    const known = digests.get(record) ?? digestOf(record);
    digests.set(record, known);
    return known;
  };
  return (one, other) => {
    if (one === undefined || other === undefined) return one === other;
    // Whatever record drops a message, the prompt shows nothing for it.
    if (one.action === "drop" && other.action === "drop") return true;
    return one === other || (spanLength(one.span) === spanLength(other.span) && digest(one) === digest(other));
  };
}

/**
 * Returns why a soft fold waits until the open tool loop is over; null when it need not or must not wait. If a model's
 * thinking is bound to the preceding prompt, a fold would lose all the thinking of the loop, which is no longer needed
 * once the loop ends. The wait ends when the request has no room for more calls: then the budget wins, and a warning of
 * the request says that reasoning was left out.
 */
export function loopWait(turn: Turn, tokens: number): string | null {
  const { config } = turn;
  if (!config.costModelEnabled || !cutsThinking(turn)) return null;
  const calls = Math.floor((tokenBudget(config).planLimitTokens - tokens) / Math.max(1, growthOf(turn)));
  return calls <= CALLS_OF_HEADROOM ? null : "a fold now would take the thinking out of the open tool loop";
}

/** Checks whether the request contains thinking in an open tool loop that a fold would invalidate. */
function cutsThinking({ renderer, plan }: Turn): boolean {
  const { request, manifest } = renderer.rendering(plan);
  const { messages } = request;
  if (manifest.reasoningBinding !== "prefix-bound" || messages.at(-1)?.role !== "tool") return false;
  const asked = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(asked + 1).some(({ parts }) => parts.some(({ type }) => type === "reasoning"));
}
