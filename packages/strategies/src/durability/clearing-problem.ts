import type { MessageHeader, ProbeVerdict } from "@threadfold/core";

/**
 * Why a tool result may not be cleared, as the end of a sentence; null when it may be (design, durability). A replayable
 * result whose source nobody has looked at yet may be proposed: the look comes before anything is committed.
 */
export function clearingProblem(header: MessageHeader, verdict: ProbeVerdict | undefined): string | null {
  if (header.durability === "non_replayable") return "it cannot be replayed";
  if (header.durability !== "replayable") return null;
  if (verdict === "changed") return "its source has changed since";
  return verdict === "unverifiable" ? "nothing verifies that its source is unchanged" : null;
}
