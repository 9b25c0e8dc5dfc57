import { type DropRecord, visibleText } from "@threadfold/core";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import { type Fulfilment, messagesOf } from "./fulfilment.ts";
import { recordBase } from "./record-base.ts";

const MAX_KEYWORDS = 12;
/** How much of each message is looked at for keywords, in UTF-16 code units. */
const SCANNED = 600;

/** Takes groups out of the prompt and notes what they were about (seed 002, `DroppedSpanIndex`). */
export function dropRecord(
  proposal: CompactionProposal & { readonly action: "drop" },
  fulfilment: Fulfilment,
): DropRecord {
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
