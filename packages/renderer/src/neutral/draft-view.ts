import { type AgentThread, type PlanRecord, type SummaryRole, spanStart, type ViewEntry } from "@threadfold/core";
import type { RenderInput } from "../render-input.ts";
import { clearedMessage } from "./cleared-message.ts";
import type { Draft } from "./draft.ts";
import { externalizedBody } from "./externalized-body.ts";
import { keptMessage } from "./kept-message.ts";
import { pinLiftedMessage } from "./pin-lifted-message.ts";
import { pinsMessage } from "./pins-message.ts";
import { pointerMessage } from "./pointer-message.ts";
import { summaryMessage } from "./summary-message.ts";

/** Makes the messages of a view, entry by entry and in order (seed 002, replacement semantics). No provider is known here. */
export function draftView(
  entries: Iterable<ViewEntry>,
  { thread, summaryRole = "assistant" }: Pick<RenderInput, "thread" | "summaryRole">,
  before: readonly Draft[] = [],
): readonly Draft[] {
  const drafts = [...before];
  for (const entry of entries) addEntry(drafts, entry, thread, summaryRole);
  return drafts;
}

function addEntry(drafts: Draft[], entry: ViewEntry, thread: AgentThread, role: SummaryRole): void {
  switch (entry.type) {
    case "message":
      drafts.push(keptMessage(entry.message));
      return;
    case "cleared": {
      const cleared = clearedMessage(entry.message, entry.record);
      if (cleared !== null) drafts.push(cleared);
      return;
    }
    case "externalized-body":
      drafts.push(externalizedBody(entry.message, entry.record));
      return;
    case "summary":
      drafts.push(...summaryMessage(entry.record, startOf(entry.record, thread), role));
      return;
    case "pointer":
      drafts.push(...pointerMessage(entry.record, startOf(entry.record, thread), role));
      return;
    case "pins":
      drafts.push(pinsMessage(entry.pins, nextOrdinal(drafts)));
      return;
    case "pin-lifted":
      drafts.push(pinLiftedMessage(entry.pin, nextOrdinal(drafts)));
  }
}

const startOf = (record: PlanRecord, thread: AgentThread): number =>
  thread.message(spanStart(record.span))?.ordinal ?? 0;

/** Content that no message holds stands where the message before it stands. */
const nextOrdinal = (drafts: readonly Draft[]): number => drafts.at(-1)?.ordinal ?? 0;
