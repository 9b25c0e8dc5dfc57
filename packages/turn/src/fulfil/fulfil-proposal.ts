import { EventLoopTurns, type PlanRecord, type Summarizer, type SummaryChange } from "@threadfold/core";
import type { CompactionProposal } from "@threadfold/strategies";
import { clearRecord } from "./clear-record.ts";
import { dropRecord } from "./drop-records.ts";
import { externalizationRecord } from "./externalization-record.ts";
import type { Fulfilment } from "./fulfilment.ts";
import { ownRecord, withOwn } from "./own-record.ts";
import { summarizationRecord } from "./summarization-record.ts";

/**
 * Makes the record of a proposal; null when it would free nothing, or when its strategy leaves the messages alone
 * (S29).
 */
export async function fulfilProposal(proposal: CompactionProposal, fulfilment: Fulfilment): Promise<PlanRecord | null> {
  fulfilment.signal?.throwIfAborted();
  const own = await ownRecord(proposal, fulfilment);
  if (own === null) return null;
  // Every record asks for its span, which the shape remembers: a long one takes long to find.
  await new EventLoopTurns().finish(fulfilment.shape.spanInSteps(proposal.ordinals), fulfilment.signal);
  if (own?.action === "summarize" && proposal.action === "summarize")
    return summarizationRecord(proposal, { ...fulfilment, summarizer: spokenBy(proposal.strategy, own.changes) });
  const record = await codeRecord(proposal, fulfilment);
  return own === undefined || record === null ? record : withOwn(record, own);
}

/** Wraps a strategy's own changes as a summarizer. */
const spokenBy = (id: string, changes: readonly SummaryChange[]): Summarizer => ({
  id,
  summarize: async () => ({ changes }),
});

/** Makes the standard record of a proposal, without the strategy's own additions. */
async function codeRecord(proposal: CompactionProposal, fulfilment: Fulfilment): Promise<PlanRecord | null> {
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
