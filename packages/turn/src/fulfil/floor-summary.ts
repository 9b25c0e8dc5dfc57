import { type Message, type SpanReference, type Summarizer, type SummaryChange, visibleText } from "@threadfold/core";

const MAX_TASK = 400;
/** Names nothing, so that the next summary leaves it out. */
const NOTHING = "No details were kept.";
/** The id of this summarizer. */
export const FLOOR = "floor@2";

/**
 * Makes a summary without any summarizer: the first request, and how much was folded (like Goat's graceful
 * degradation).
 *
 * @param isSilent true when a summarizer had nothing to say, as of a notice that a request was cut off, or no room.
 */
export function floorSummaryChanges(
  messages: readonly Message[],
  span: SpanReference,
  isSilent = false,
): readonly SummaryChange[] {
  const request = messages.find((message) => message.role === "user" && message.origin === undefined);
  const task = request && { text: visibleText(request).slice(0, MAX_TASK).toWellFormed(), sources: [request.id] };
  const text = isSilent ? NOTHING : howMuch(messages, span);
  return [
    { op: "add", section: "facts", item: { text, sources: span.messageIds.slice(0, 1) } },
    ...(task === undefined ? [] : [{ op: "set-original-task" as const, task }]),
  ];
}

function howMuch(messages: readonly Message[], span: SpanReference): string {
  const calls = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-call")).length;
  const held = `${counted(span.messageIds.length, "message")} with ${counted(calls, "tool call")}`;
  return `${turnsOf(span)} held ${held}, folded without a summarizer.`;
}

const turnsOf = ({ firstTurn, lastTurn }: SpanReference): string =>
  firstTurn === lastTurn ? `Turn ${firstTurn}` : `Turns ${firstTurn}–${lastTurn}`;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Summarizes without a model and with little reading: the fallback of a fold whose summarizer fails (P6). */
export const floorSummarizer: Summarizer = Object.freeze<Summarizer>({
  id: FLOOR,
  summarize: async ({ messages, span }) => ({ changes: floorSummaryChanges(messages, span) }),
});
