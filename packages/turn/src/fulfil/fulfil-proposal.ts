import {
  type DropRecord,
  type PlanRecord,
  type SpanReference,
  type Summarizer,
  type SummaryChange,
  visibleText,
} from "@threadfold/core";
import type { CompactionProposal } from "@threadfold/strategies";
import { clearRecord } from "./clear-record.ts";
import { externalizationRecord } from "./externalization-record.ts";
import { type Fulfilment, recordBase } from "./fulfilment.ts";
import { ownRecord, withOwn } from "./own-record.ts";
import { summarizationRecord } from "./summarization-record.ts";

/** Makes the record that a proposal asks for; null when the bodies show that it would free nothing (S29). */
export async function fulfilProposal(proposal: CompactionProposal, fulfilment: Fulfilment): Promise<PlanRecord | null> {
  fulfilment.signal?.throwIfAborted();
  const own = await ownRecord(proposal, fulfilment);
  if (own === null) return null;
  if (own?.action === "summarize" && proposal.action === "summarize")
    return summarizationRecord(proposal, { ...fulfilment, summarizer: spokenBy(proposal.strategy, own.changes) });
  const record = await codeRecord(proposal, fulfilment);
  return own === undefined || record === null ? record : withOwn(record, own);
}

/** What a strategy says in the place of a summarizer. */
const spokenBy = (id: string, changes: readonly SummaryChange[]): Summarizer => ({
  id,
  summarize: async () => ({ changes }),
});

/** The record as code makes it. */
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

const MAX_KEYWORDS = 12;
/** How much of each message is looked at for keywords, in UTF-16 code units. */
const SCANNED = 600;

/** Takes groups out of the prompt and notes what they were about (`DroppedSpanIndex`). */
function dropRecord(proposal: CompactionProposal & { readonly action: "drop" }, fulfilment: Fulfilment): DropRecord {
  const base = recordBase(proposal, fulfilment);
  return { ...base, action: "drop", keywords: keywordsOf(base.span, fulfilment) };
}

/** The first words of a span, of what a fold leaves out as well. */
function keywordsOf({ messageIds }: SpanReference, { thread }: Fulfilment): readonly string[] {
  const words = new Set<string>();
  for (const id of messageIds) {
    const message = thread.message(id);
    const text = message === undefined ? "" : visibleText(message).slice(0, SCANNED);
    for (const [word] of text.matchAll(/[\p{L}_][\p{L}\p{N}_./-]{5,60}/gu)) {
      if (words.add(word).size === MAX_KEYWORDS) return [...words];
    }
  }
  return [...words];
}
