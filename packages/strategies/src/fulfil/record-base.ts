import { type PlanRecord, spanOf } from "@threadfold/core";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import type { Fulfilment } from "./fulfilment.ts";

/** What every record takes over from its proposal. */
export function recordBase(
  proposal: CompactionProposal,
  { shape, planVersion }: Fulfilment,
): Pick<PlanRecord, "span" | "strategy" | "reason" | "sincePlanVersion" | "originalTokens"> {
  const headers = proposal.ordinals.map((ordinal) => shape.header(ordinal));
  return {
    span: spanOf(headers),
    strategy: proposal.strategy,
    reason: proposal.reason,
    sincePlanVersion: planVersion,
    originalTokens: headers.reduce((sum, header) => sum + header.tokens, 0),
  };
}
