import { type SummarizationRecord, type SummaryRole, spanIdsInMemory } from "@threadfold/core";
import type { Draft } from "./draft.ts";
import { derivedDraft, type MadeMessage, madeDraft } from "./made-draft.ts";
import { END_OF_HISTORY, framedSummary } from "./summary-frame.ts";

const summaryDraft = derivedDraft((record: SummarizationRecord) => {
  const { firstTurn, lastTurn } = record.span;
  return `[Context Summary - Turns ${firstTurn}-${lastTurn}]\n${framedSummary(record.summary)}\n${END_OF_HISTORY}`;
});

/** The message that stands for a summarized span (seed 002), at the place of the span's first message. */
export function summaryMessage(record: SummarizationRecord, ordinal: number, role: SummaryRole): readonly Draft[] {
  const made: Omit<MadeMessage, "role"> = {
    synthetic: "summary",
    action: "summarize",
    share: "summaries",
    ordinal,
    record,
  };
  const sources = spanIdsInMemory(record.span);
  if (role !== "pair") return [summaryDraft(record, { ...made, role, sources })];
  return [shadow(record, { ...made, role: "user" }), summaryDraft(record, { ...made, role: "assistant", sources })];
}

/** The user message that a summary answers, where an assistant message may not come first (seed 004). */
function shadow({ span }: SummarizationRecord, made: MadeMessage): Draft {
  return madeDraft(`What happened in turns ${span.firstTurn}-${span.lastTurn}?`, made);
}
