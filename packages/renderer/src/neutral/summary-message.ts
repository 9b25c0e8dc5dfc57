import {
  type AgentThread,
  actionOf,
  type CompactionPlan,
  renderSummary,
  type StructuredSummary,
  type SummarizationRecord,
  type SummaryRole,
  spanIdsInMemory,
  spanStart,
} from "@threadfold/core";
import { type Draft, derivedDraft, type MadeMessage, madeDraft } from "./draft.ts";
import { escapeLookAlikes } from "./look-alikes.ts";

/** Ends every frame that is about the past (L28). */
export const END_OF_HISTORY = "[End of history; do not redo it]";

/** Returns a summary's text for use in a frame: its own first line, then nothing that looks like one of our frames. */
export function framedSummary(summary: StructuredSummary): string {
  const text = renderSummary(summary);
  const body = text.indexOf("\n");
  return body < 0 ? text : text.slice(0, body) + escapeLookAlikes(text.slice(body));
}

/** How the summaries of a request are shown: their role, and the text around them. */
export interface SummaryStyle {
  readonly role: SummaryRole;
  readonly introduction: string | undefined;
  /** The summary that follows the introduction. */
  readonly introduced: SummarizationRecord | undefined;
  readonly answer: string | undefined;
  /** The question in the user message of a pair. */
  readonly question: string | undefined;
}

const summaryDraft = derivedDraft(({ span, summary }: SummarizationRecord, introduction: string | undefined) => {
  const header = `[Context Summary - Turns ${span.firstTurn}-${span.lastTurn}]`;
  // The frame stays whatever comes before it: it marks the summary as data.
  const lines = [header, framedSummary(summary), END_OF_HISTORY];
  return (introduction === undefined ? lines : [withRound(introduction, summary.round), ...lines]).join("\n");
});

/** Returns the message that replaces a summarized span, at the position of the span's first message. */
export function summaryMessage(
  record: SummarizationRecord,
  ordinal: number,
  { role, introduction, introduced, answer, question }: SummaryStyle,
): readonly Draft[] {
  const made: Omit<MadeMessage, "role"> = {
    synthetic: "summary",
    action: "summarize",
    share: "summaries",
    ordinal,
    record,
  };
  const summary = (as: "user" | "assistant"): Draft =>
    summaryDraft(record, record === introduced ? introduction : undefined, {
      ...made,
      role: as,
      sources: spanIdsInMemory(record.span),
    });
  if (role !== "pair") return [summary(role)];
  // Goat's summary comes from the user and is answered; Spring AI Session's user asks for it and the assistant gives
  // it.
  if (answer !== undefined) return [summary("user"), madeDraft(answer, { ...made, role: "assistant" })];
  return [shadow(record, question, { ...made, role: "user" }), summary("assistant")];
}

/**
 * Returns the user message that a summary answers, because an assistant message may not come first (Spring AI Session's
 * user shadow).
 */
function shadow({ span }: SummarizationRecord, question: string | undefined, made: MadeMessage): Draft {
  return madeDraft(question ?? `What happened in turns ${span.firstTurn}-${span.lastTurn}?`, made);
}

const withRound = (introduction: string, round: number): string => introduction.replaceAll("{round}", String(round));

/**
 * Returns the first summary of a prompt; undefined when there is none. It is looked up in the plan rather than among
 * the messages rendered so far, so that every piece of a growing rendering finds the same one (P7).
 */
export function firstSummary(plan: CompactionPlan, thread: AgentThread): SummarizationRecord | undefined {
  let first: SummarizationRecord | undefined;
  let place = Number.POSITIVE_INFINITY;
  for (const record of plan.summarizations) {
    // A record is not shown if its message is not in memory or has another record.
    const start = thread.messageInMemory(spanStart(record.span));
    if (start === undefined || start.branch !== undefined || start.ordinal >= place) continue;
    if (actionOf(plan, start.id, start.ordinal).record !== record) continue;
    first = record;
    place = start.ordinal;
  }
  return first;
}
