import { type PlanRecords, planRecords, removesMessages, runsOfSpan, spanLength, tokenBudget } from "@threadfold/core";
import { anyOf, hardAfterCutOff, LAST_RESORT, softLimitTrigger, type TriggerDecision } from "@threadfold/strategies";
import type { ThreadState } from "../measure/thread-state.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import type { Turn } from "../state/turn-state.ts";
import { cacheTemperature } from "./costs.ts";

/**
 * Asks the preset's trigger whether to fold now. What leaves no choice (`LAST_RESORT`) counts whatever the preset says, and
 * so do the soft threshold and the reserves of the configuration.
 */
export function triggerDecision(turn: Turn, tokens: number, { force = false }: CompactOptions): TriggerDecision {
  const { preset, config, state, plan, usage, idleSeconds } = turn;
  const { turn: turns, step } = state.thread.position;
  const isReported = usage.measured?.planVersion === plan.version;
  const { roomTokens, limitTokens, softLimit } = tokenBudget(config);
  return hardAfterCutOff(anyOf(...LAST_RESORT, preset.trigger(config), softLimitTrigger)).evaluate({
    tokens,
    overheadTokens: turn.overheadTokens,
    roomTokens,
    limitTokens,
    softLimit,
    turns,
    steps: step,
    messages: state.thread.length,
    baselineTokens: plan.compactedTokens,
    // Read only by triggers that count messages, because it walks the plan.
    get shownMessages() {
      return shownMessages(state.thread.length, plan);
    },
    // Read only by triggers that count turns, because a resumed thread may have to be read for it.
    get shownTurns() {
      return shownTurns(turns, plan, state);
    },
    overflowed: usage.overflow === "pending",
    stoppedAtMaxOutput: usage.maxOutput === "pending",
    // Before the first request nothing is known of the cache: that is not a risk to take.
    cacheIsCold: idleSeconds !== undefined && isCold(turn, tokens),
    requested: force,
    ...(isReported && { reportedTokens: tokens, unshownTokens: unshownOf(usage) }),
    ...(idleSeconds !== undefined && { idleSeconds }),
  });
}

/** What nobody sees of the newest answer, as far as the figure of the request does not hold it already. */
const unshownOf = ({ measured }: Turn["usage"]): number =>
  measured === null ? 0 : Math.max(0, measured.unshown - measured.resent);

/** True when the provider has nothing of the prompt in its cache any more. False when its prices are not known. */
export function isCold({ price, idleSeconds }: Turn, tokens: number): boolean {
  return price !== undefined && cacheTemperature({ promptTokens: tokens, idleSeconds, price }) === "cold";
}

/**
 * How many messages a prompt still shows: all of the thread less those that the plan took out, and one for each summary
 * or pointer that stands for some. For triggers that count messages and would fire for good after the first fold otherwise.
 *
 * @param messages how many messages the thread has.
 */
export function shownMessages(messages: number, plan: PlanRecords): number {
  return planRecords(plan)
    .filter(removesMessages)
    .reduce((left, { span, action }) => left - spanLength(span) + (action === "drop" ? 0 : 1), messages);
}

/**
 * How many turns a prompt still shows the start of: all turns of the thread less those whose user message the plan took
 * out. For triggers that count turns. What was taken out in one piece costs the same however long it is (P9).
 *
 * @param turns how many turns the thread has.
 */
export function shownTurns(turns: number, plan: PlanRecords, state: Pick<ThreadState, "thread" | "ledger">): number {
  const { thread, ledger } = state;
  const turnAt = (ordinal: number): number => ledger.header(ordinal)?.turn ?? 0;
  const removed = planRecords(plan)
    .filter(removesMessages)
    .flatMap(({ span }) => runsOfSpan(span, (id) => thread.message(id)?.ordinal) ?? [])
    .reduce((sum, { from, to }) => sum + turnAt(to) - turnAt(from - 1), 0);
  return turns - removed;
}
