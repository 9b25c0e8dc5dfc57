import { type PlanRecords, planRecords, removesMessages, runsOfSpan, spanLength, tokenBudget } from "@threadfold/core";
import {
  anyOf,
  type CompactionTrigger,
  checkedTrigger,
  hardAfterCutOff,
  LAST_RESORT,
  partFailed,
  softLimitTrigger,
  type TriggerDecision,
} from "@threadfold/strategies";
import type { ThreadState } from "../measure/thread-state.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import type { Turn } from "../state/turn-state.ts";
import { cacheTemperature } from "./costs.ts";

/**
 * Asks the preset's trigger whether to fold now. The triggers that leave no choice (`LAST_RESORT`), the soft threshold
 * and the reserves of the configuration apply whatever the preset says.
 */
export function triggerDecision(turn: Turn, tokens: number, { force = false }: CompactOptions): TriggerDecision {
  const { config, state, plan, usage, idleSeconds } = turn;
  const { turn: turns, step } = state.thread.position;
  const isReported = usage.measured?.planVersion === plan.version;
  const { roomTokens, limitTokens, softLimit } = tokenBudget(config);
  return hardAfterCutOff(anyOf(...LAST_RESORT, triggerOf(turn), softLimitTrigger)).evaluate({
    tokens,
    overheadTokens: turn.overheadTokens,
    roomTokens,
    limitTokens,
    softLimit,
    turns,
    steps: step,
    messages: state.thread.length,
    baselineTokens: plan.compactedTokens,
    // A getter, because it walks the plan and only triggers that count messages need it.
    get shownMessages() {
      return shownMessages(state.thread.length, plan);
    },
    // A getter, because a resumed thread may have to be loaded for it and only triggers that count turns need it.
    get shownTurns() {
      return shownTurns(turns, plan, state);
    },
    overflowed: usage.overflow === "pending",
    stoppedAtMaxOutput: usage.maxOutput === "pending",
    // Before the first request nothing is known about the cache, so it is not assumed to be cold.
    cacheIsCold: idleSeconds !== undefined && isCold(turn, tokens),
    requested: force,
    ...(isReported && { reportedTokens: tokens, unshownTokens: unshownOf(usage) }),
    ...(idleSeconds !== undefined && { idleSeconds }),
  });
}

/** Returns the preset's trigger. @throws ThreadfoldError `INVALID_CONFIG` that names the preset when it makes none. */
function triggerOf({ preset, config }: Turn): CompactionTrigger {
  try {
    return checkedTrigger(preset.trigger(config));
  } catch (cause) {
    throw partFailed(`The trigger of the preset ${preset.name}`, cause);
  }
}

/** The invisible tokens of the newest answer that the request's figure does not include yet. */
const unshownOf = ({ measured }: Turn["usage"]): number =>
  measured === null ? 0 : Math.max(0, measured.unshown - measured.resent);

/** Checks whether the provider's cache no longer has anything of the prompt. False when its prices are unknown. */
export function isCold({ price, idleSeconds }: Turn, tokens: number): boolean {
  return price !== undefined && cacheTemperature({ promptTokens: tokens, idleSeconds, price }) === "cold";
}

/**
 * Returns how many messages a prompt still shows: those of the thread minus those that the plan removed, plus one for
 * each summary or pointer. For triggers that count messages, which would otherwise keep firing after the first fold.
 *
 * @param messages number of messages in the thread.
 */
export function shownMessages(messages: number, plan: PlanRecords): number {
  return planRecords(plan)
    .filter(removesMessages)
    .reduce((left, { span, action }) => left - spanLength(span) + (action === "drop" ? 0 : 1), messages);
}

/**
 * Returns how many turns a prompt still shows the start of: those of the thread minus those whose user message the plan
 * removed. For triggers that count turns. The cost does not depend on the length of a removed run (P9).
 *
 * @param turns number of turns in the thread.
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
