import { ThreadfoldError } from "@threadfold/core";
import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";
import { refuseShare } from "./refuse-share.ts";

/**
 * Fires softly when nothing was sent for so many seconds and the request takes at least this share of the room: nobody
 * waits for the fold.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function idleTrigger(seconds: number, fraction: number): CompactionTrigger {
  refuseShare("idle", fraction);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new ThreadfoldError("INVALID_CONFIG", `The idle time is ${seconds} seconds; it must be at least 0.`);
  return {
    name: `idle ${seconds} s ${fraction}`,
    evaluate: ({ idleSeconds = 0, tokens, roomTokens }) =>
      idleSeconds >= seconds && idleSeconds > 0 && tokens >= fraction * roomTokens
        ? { level: "soft", reason: `nothing was sent for ${Math.floor(idleSeconds)} seconds` }
        : NO_TRIGGER,
  };
}

/**
 * Fires softly when the provider's prompt cache has gone cold and the request takes at least this share of the room: the
 * whole prompt has to be written anew anyway, so a smaller one costs less at once.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function coldCacheTrigger(fraction: number): CompactionTrigger {
  refuseShare("cold-cache", fraction);
  return {
    name: `cold-cache ${fraction}`,
    evaluate: ({ cacheIsCold, tokens, roomTokens }) =>
      cacheIsCold === true && tokens >= fraction * roomTokens
        ? { level: "soft", reason: "the provider's prompt cache has gone cold" }
        : NO_TRIGGER,
  };
}
