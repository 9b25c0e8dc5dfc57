import { checkCalls, ThreadfoldError, tokenBudget } from "@threadfold/core";
import type { CompactionStrategy } from "../strategy/compaction-strategy.ts";
import { type CompactionTrigger, isOverLimit, NO_TRIGGER, refuseShare } from "./compaction-trigger.ts";

/**
 * Fires when the request takes at least this share of its room; hard when it exceeds its limit. A count that the
 * provider reported for the current plan is used when it is higher than our own.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1.
 */
export function tokenFractionTrigger(fraction: number): CompactionTrigger {
  refuseShare("token-fraction", fraction);
  return {
    name: `token-fraction ${fraction}`,
    evaluate({ tokens, reportedTokens = 0, roomTokens, limitTokens = roomTokens }) {
      const used = Math.max(tokens, reportedTokens);
      if (used < fraction * roomTokens) return NO_TRIGGER;
      const reason = `${used} tokens are ${Math.round((100 * used) / roomTokens)} % of ${roomTokens}`;
      return { level: used > limitTokens ? "hard" : "soft", reason };
    },
  };
}

/**
 * Fires when the prompt, as counted by the provider, takes at least this share of the room; hard when it exceeds the
 * limit. Never fires without a report. A figure measured under another plan does not count (L17), nor does that of a
 * failed request (L18).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1.
 */
export function reportedUsageTrigger(fraction: number): CompactionTrigger {
  refuseShare("reported-usage", fraction);
  return {
    name: `reported-usage ${fraction}`,
    evaluate({ reportedTokens, roomTokens, limitTokens = roomTokens }) {
      if (reportedTokens === undefined || reportedTokens < fraction * roomTokens) return NO_TRIGGER;
      const reason = `the provider counted ${reportedTokens} tokens, ${Math.round((100 * reportedTokens) / roomTokens)} % of ${roomTokens}`;
      return { level: reportedTokens > limitTokens ? "hard" : "soft", reason };
    },
  };
}

/**
 * Fires when the request takes at least this many tokens by our count or by the provider's, whichever is higher; hard when
 * it exceeds its limit.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the threshold is at least 0.
 */
export function usedTokensTrigger(threshold: number): CompactionTrigger {
  if (!Number.isFinite(threshold) || threshold < 0)
    throw new ThreadfoldError("INVALID_CONFIG", `The threshold of used-tokens is ${threshold}; it must be at least 0.`);
  return {
    name: `used-tokens ${threshold}`,
    evaluate({ tokens, reportedTokens = 0, roomTokens, limitTokens = roomTokens }) {
      const used = Math.max(tokens, reportedTokens);
      if (used < threshold) return NO_TRIGGER;
      const reason = `${used} tokens reach the threshold of ${threshold}`;
      return { level: used > limitTokens ? "hard" : "soft", reason };
    },
  };
}

/**
 * Fires when prompt and answer together took at least this many tokens by the provider's count, or when the request
 * does by our own. The provider's count is that of pi's `contextTokens`: input, output, cache reads and cache writes.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the threshold is at least 0.
 */
export function contextTokensTrigger(threshold: number): CompactionTrigger {
  const used = usedTokensTrigger(threshold);
  return {
    name: `context-tokens ${threshold}`,
    evaluate: ({ reportedTokens = 0, unshownTokens = 0, ...input }) =>
      used.evaluate({ ...input, reportedTokens: reportedTokens + unshownTokens }),
  };
}

/**
 * Wraps a rung so that it acts only while the request, after what earlier rungs freed, takes more than this share of
 * the room. Gentle rungs thus act early and harsh ones late (S12).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1, and without a strategy.
 */
export function whenAbove(fraction: number, strategy: CompactionStrategy): CompactionStrategy {
  refuseShare("when-above", fraction);
  checkCalls("strategy", strategy, ["analyze"]);
  return {
    name: strategy.name,
    aggressiveness: strategy.aggressiveness,
    analyze(context) {
      const room = tokenBudget(context.config);
      return room.target + context.needed > fraction * room.roomTokens ? strategy.analyze(context) : [];
    },
  };
}

/**
 * Fires when the request has grown by at least this many tokens since the current plan was committed; hard when it
 * exceeds its limit. Every commit sets a new baseline, so that what was folded once is not measured again (S34).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the growth is more than 0.
 */
export function growthTrigger(growth: number): CompactionTrigger {
  if (!Number.isFinite(growth) || growth <= 0)
    throw new ThreadfoldError("INVALID_CONFIG", `The growth is ${growth} tokens; it must be more than 0.`);
  return {
    name: `growth ${growth}`,
    evaluate({ tokens, baselineTokens = 0, roomTokens, limitTokens = roomTokens }) {
      const grown = tokens - baselineTokens;
      if (grown < growth) return NO_TRIGGER;
      const reason = `${grown} tokens came on top of ${baselineTokens} since the last fold`;
      return { level: tokens > limitTokens ? "hard" : "soft", reason };
    },
  };
}

/**
 * Fires softly when the request exceeds its soft limit (the configured soft threshold less reserves). A count that the
 * provider reported for the current plan is used when it is higher than our own.
 */
export const softLimitTrigger: CompactionTrigger = {
  name: "soft-limit",
  evaluate({ tokens, reportedTokens = 0, roomTokens, limitTokens = roomTokens, softLimit = limitTokens }) {
    const used = Math.max(tokens, reportedTokens);
    return used > softLimit
      ? { level: "soft", reason: `${used} tokens are more than the soft limit of ${softLimit}` }
      : NO_TRIGGER;
  },
};

/** Fires hard when the request exceeds its limit, so that it must not be sent unchanged. */
export const overRoomTrigger: CompactionTrigger = {
  name: "over-room",
  evaluate: (input) => {
    const { tokens, roomTokens, limitTokens = roomTokens } = input;
    return isOverLimit(input)
      ? { level: "hard", reason: `${tokens} tokens exceed the limit of ${limitTokens}` }
      : NO_TRIGGER;
  },
};
