import type { PlanRecord } from "@threadfold/core";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import { clearRecord } from "./clear-record.ts";
import { dropRecord } from "./drop-record.ts";
import { externalizationRecord } from "./externalization-record.ts";
import type { Fulfilment } from "./fulfilment.ts";
import { summarizationRecord } from "./summarization-record.ts";

/** Makes the record that a proposal asks for; null when the bodies show that it would free nothing (S29). */
export async function fulfilProposal(proposal: CompactionProposal, fulfilment: Fulfilment): Promise<PlanRecord | null> {
  fulfilment.signal?.throwIfAborted();
  switch (proposal.action) {
    case "externalize":
      return externalizationRecord(proposal, fulfilment);
    case "clear":
      return clearRecord(proposal, fulfilment);
    case "summarize":
      return summarizationRecord(proposal, fulfilment);
    case "drop":
      return dropRecord(proposal, fulfilment);
  }
}
