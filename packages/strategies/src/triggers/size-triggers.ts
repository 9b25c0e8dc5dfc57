import { ThreadfoldError, tokenBudget } from "@threadfold/core";
import type { CompactionStrategy } from "../strategy/compaction-strategy.ts";
import { type CompactionTrigger, isOverLimit, NO_TRIGGER, refuseShare } from "./compaction-trigger.ts";

/**
 * Fires when the request takes at least this share of its room; hard when it exceeds its limit. A figure that the provider
 * reported for the current plan counts when it is higher than our own.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
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
 * Fires when the prompt that the provider counted takes at least this share of the room. Silent without a report: a
 * figure that was measured under another plan does not count (L17), and neither is that of a request that failed (L18).
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
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
 * Fires when prompt and answer together took at least this many tokens by the provider's count, as pi's `contextTokens` has
 * them (input, output, what was read from the cache and written to it), or when the request does by our own.
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
 * A rung that is walked only while the request takes more than this share of the room, what earlier rungs freed already
 * taken off: gentle rungs act early and harsh ones late (S12).
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function whenAbove(fraction: number, strategy: CompactionStrategy): CompactionStrategy {
  refuseShare("when-above", fraction);
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
 * Fires when the request has grown by at least this many tokens since the current plan was committed. Every commit sets
 * a new baseline, so that what was folded once is not measured again (S34).
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
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
 * Fires softly when the request takes more than the soft threshold and the reserves of the configuration leave it. A
 * figure that the provider reported for the current plan counts when it is higher than our own.
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

/** Fires hard when the request takes more than it may: as it is, it must not be sent. */
export const overRoomTrigger: CompactionTrigger = {
  name: "over-room",
  evaluate: (input) => {
    const { tokens, roomTokens, limitTokens = roomTokens } = input;
    return isOverLimit(input)
      ? { level: "hard", reason: `${tokens} tokens exceed the limit of ${limitTokens}` }
      : NO_TRIGGER;
  },
};
