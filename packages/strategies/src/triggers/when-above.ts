import type { CompactionStrategy } from "../ladder/compaction-strategy.ts";
import { refuseShare } from "./refuse-share.ts";

/**
 * A rung that is walked only while the request takes more than this share of the cap, what earlier rungs freed already
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
      const { maxInputTokens, targetPercent } = context.config;
      const tokens = Math.floor(maxInputTokens * targetPercent) + context.needed;
      return tokens > fraction * maxInputTokens ? strategy.analyze(context) : [];
    },
  };
}
