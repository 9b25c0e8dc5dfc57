import { requestRoom } from "@threadfold/core";
import type { CompactionStrategy } from "../ladder/compaction-strategy.ts";
import { refuseShare } from "./refuse-share.ts";

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
      const room = requestRoom(context.config);
      return room.target + context.needed > fraction * room.tokens ? strategy.analyze(context) : [];
    },
  };
}
