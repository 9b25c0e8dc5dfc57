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

/**
 * Makes the record of a proposal; null when it would free nothing, or when its strategy leaves the messages alone
 * (S29).
 */
export async function fulfilProposal(proposal: CompactionProposal, fulfilment: Fulfilment): Promise<PlanRecord | null> {
  fulfilment.signal?.throwIfAborted();
  const own = await ownRecord(proposal, fulfilment);
  if (own === null) return null;
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

const MAX_KEYWORDS = 12;
/** How much of each message is searched for keywords, in UTF-16 code units. */
const SCANNED = 600;

/** Makes a record that drops groups from the prompt and notes keywords of their content (`DroppedSpanIndex`). */
function dropRecord(proposal: CompactionProposal & { readonly action: "drop" }, fulfilment: Fulfilment): DropRecord {
  const base = recordBase(proposal, fulfilment);
  return { ...base, action: "drop", keywords: keywordsOf(base.span, fulfilment) };
}

/** Returns the first keywords of a span, including messages that the fold did not look at. */
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
