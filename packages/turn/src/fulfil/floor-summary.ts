import { type Message, type SpanReference, type Summarizer, type SummaryChange, visibleText } from "@threadfold/core";

const MAX_TASK = 400;

/**
 * Makes a summary without any summarizer: the first request, and how much was folded (like Goat's graceful
 * degradation).
 */
export function floorSummaryChanges(messages: readonly Message[], span: SpanReference): readonly SummaryChange[] {
  const request = messages.find((message) => message.role === "user" && message.origin === undefined);
  const calls = messages.reduce(
    (sum, message) => sum + message.parts.filter((part) => part.type === "tool-call").length,
    0,
  );
  const changes: SummaryChange[] = [
    {
      op: "add",
      section: "facts",
      item: {
        text: `Turns ${span.firstTurn}–${span.lastTurn} held ${span.messageIds.length} messages with ${calls} tool calls; they were folded without a summarizer.`,
        sources: span.messageIds.slice(0, 1),
      },
    },
  ];
  if (request !== undefined) {
    changes.push({
      op: "set-original-task",
      task: { text: visibleText(request).slice(0, MAX_TASK).toWellFormed(), sources: [request.id] },
    });
  }
  return changes;
}

/** Summarizes without a model and with little reading: the fallback of a fold whose summarizer fails (P6). */
export const floorSummarizer: Summarizer = Object.freeze<Summarizer>({
  id: "floor@1",
  summarize: async ({ messages, span }) => ({ changes: floorSummaryChanges(messages, span) }),
});
