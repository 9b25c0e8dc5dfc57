import { anyOf } from "../triggers/composite-trigger.ts";
import { nothing } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { type CompactionPreset, LAST_RESORT, NO_RESERVES } from "./compaction-preset.ts";

/**
 * Folds like Amp, which never compacts automatically: a user asks for a handoff to a goal, and a new thread starts with
 * what matters for that goal. Handoffs, forks and thread references are part of the session (`handoff`, `forkThread`,
 * `referenceTo`). Within a thread the preset does what a handoff does: it summarizes everything except the newest user
 * message, which is the goal. Beyond Amp, as Threadfold guarantees, it folds unasked when a request exceeds its limit
 * (P3) or was refused as too long.
 */
export const ampHandoffPreset: CompactionPreset = {
  name: "amp-handoff",
  description: "Folds when asked to, or above its room: all but the newest user message, the goal, is summarized.",
  ladder: [windowStrategy({ name: "handoff", cut: nothing, fold: "summarize", oneSummary: true })],
  config: {
    policyVersion: "amp-handoff-v2",
    ...NO_RESERVES,
    softThresholdPercent: 1,
    targetPercent: 0,
    preserveRecentTurns: 0,
    summaryRole: "user",
    minReclaimPercent: 0,
  },
  trigger: () => anyOf(...LAST_RESORT),
  figures: {},
  promptVersion: "handoff-v3",
};
