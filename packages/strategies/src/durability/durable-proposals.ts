import type { ContextCompactionConfig, MessageHeader, ProbeVerdict, ThreadShape } from "@threadfold/core";
import { type CompactionProposal, POINTER_TOKENS, pointerTokens } from "../strategy/compaction-strategy.ts";
import { toolOverride } from "./durability-policy.ts";

/** Bodies up to this size, in tokens, are not externalized: a pointer would hardly be shorter. */
export const MIN_EXTERNALIZED_TOKENS = 2 * POINTER_TOKENS;

/**
 * Applies the durability rules to a proposal, whichever strategy made it: results that may not be cleared are
 * externalized instead, or kept when they are small. A truncation (`keep`) is left alone: it is the floor's last
 * resort and comes after whatever could be externalized.
 *
 * @param config when it disables externalization, results that may not be cleared are kept.
 */
export function durableProposals(
  proposal: CompactionProposal,
  shape: ThreadShape,
  verdictOf: (ordinal: number) => ProbeVerdict | undefined,
  config: Pick<ContextCompactionConfig, "enableExternalization" | "toolDurabilityOverrides">,
): readonly CompactionProposal[] {
  if (proposal.action !== "clear" || proposal.keep !== undefined || !proposal.targets.includes("tool-result"))
    return [proposal];
  const clearable: number[] = [];
  const instead: CompactionProposal[] = [];
  for (const ordinal of proposal.ordinals) {
    const header = shape.header(ordinal);
    const problem = clearingProblem(header, verdictOf(ordinal), config);
    if (problem === null) {
      clearable.push(ordinal);
    } else if (config.enableExternalization && header.shares.toolResult > MIN_EXTERNALIZED_TOKENS) {
      instead.push({
        action: "externalize",
        strategy: proposal.strategy,
        ordinals: [ordinal],
        estimatedTokensFreed: header.shares.toolResult - pointerTokens(header.shares.toolResult),
        reason: `The result of ${header.toolName} may not be cleared because ${problem}; its body is in the artifact store.`,
      });
    }
  }
  if (clearable.length === proposal.ordinals.length) return [proposal];
  return clearable.length === 0 ? instead : [{ ...proposal, ordinals: clearable }, ...instead];
}

/**
 * Why a tool result may not be cleared, as the end of a sentence; null when it may be. A replayable result whose source
 * has not been checked yet may be proposed: the check comes before anything is committed.
 */
function clearingProblem(
  header: MessageHeader,
  verdict: ProbeVerdict | undefined,
  config: Pick<ContextCompactionConfig, "toolDurabilityOverrides">,
): string | null {
  const { toolName } = header;
  if (toolName !== undefined && toolOverride(config, toolName)?.replayCost === "expensive")
    return "calling it again is expensive";
  if (header.durability === "non_replayable") return "it cannot be replayed";
  if (header.durability !== "replayable") return null;
  if (verdict === "changed") return "its source has changed since";
  return verdict === "unverifiable" ? "nothing verifies that its source is unchanged" : null;
}
