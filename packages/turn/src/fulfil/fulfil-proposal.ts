import { type DropRecord, type PlanRecord, visibleText } from "@threadfold/core";
import type { CompactionProposal } from "@threadfold/strategies";
import { clearRecord } from "./clear-record.ts";
import { externalizationRecord } from "./externalization-record.ts";
import { type Fulfilment, messagesOf, recordBase } from "./fulfilment.ts";
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

const MAX_KEYWORDS = 12;
/** How much of each message is looked at for keywords, in UTF-16 code units. */
const SCANNED = 600;

/** Takes groups out of the prompt and notes what they were about (`DroppedSpanIndex`). */
function dropRecord(proposal: CompactionProposal & { readonly action: "drop" }, fulfilment: Fulfilment): DropRecord {
  const words = new Set<string>();
  for (const message of messagesOf(proposal, fulfilment)) {
    for (const [word] of visibleText(message)
      .slice(0, SCANNED)
      .matchAll(/[\p{L}_][\p{L}\p{N}_./-]{5,60}/gu)) {
      if (words.size < MAX_KEYWORDS) words.add(word);
    }
  }
  return { ...recordBase(proposal, fulfilment), action: "drop", keywords: [...words] };
}
