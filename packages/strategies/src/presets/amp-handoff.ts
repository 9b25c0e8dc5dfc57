import { anyOf } from "../triggers/composite-trigger.ts";
import { nothing } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { type CompactionPreset, LAST_RESORT, NO_RESERVES } from "./compaction-preset.ts";

/**
 * As Amp does: no automatic compaction. Somebody asks for a handoff to a goal, and what matters to it begins a fresh
 * thread; handoffs, forks and thread references are the session's (`handoff`, `forkThread`, `referenceTo`). Within a
 * thread the preset does what a handoff does: all but the newest user message, which is the goal, is summarized.
 * Threadfold's promise comes on top: above its room it folds unasked (P3).
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
  promptVersion: "handoff-v2",
};
