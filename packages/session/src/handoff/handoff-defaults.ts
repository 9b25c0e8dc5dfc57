import { DEFAULT_CHECKS } from "@threadfold/summarizers";
import type { SessionOptions } from "../session-options.ts";
import { systemClock } from "../system-clock.ts";
import type { HandoffOptions } from "./handoff.ts";

/** What a handoff takes from its session where it is told nothing else. */
export const handoffDefaults = ({
  clock = systemClock,
  redactSecrets = true,
  summaryChecks = DEFAULT_CHECKS,
  summaryTimeLimitMs,
  summaryModel,
  summaryModelSettings,
}: SessionOptions): Omit<HandoffOptions, "goal" | "threadId"> => ({
  clock,
  redactSecrets,
  summaryChecks,
  ...(summaryTimeLimitMs !== undefined && { summaryTimeLimitMs }),
  ...(summaryModel !== undefined && { summaryModel }),
  ...(summaryModelSettings !== undefined && { summaryModelSettings }),
});
