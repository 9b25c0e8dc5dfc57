import { createEvent, type Event, isCompactedEvent, TokenBasedContextCompactor } from "@google/adk";
import type { Message } from "threadfold";
import { callsOf, callText, lines, resultRuns, resultsOf, textOf } from "./message-parts.ts";
import { type PeerShape, peerPolicy } from "./peer-policy.ts";

/** Number of raw events kept after a compaction. ADK has no default; its examples keep this many. */
const RETAINED = 10;
const AGENT = "agent";

const adkShape: PeerShape<Event> = {
  convert: (added) => resultRuns(added).map((sources) => ({ native: eventOf(sources), sources })),
  piece: (event) => {
    if (isCompactedEvent(event))
      return { role: "user", text: `[Previous Context Summary]:\n${event.compactedContent}` };
    const texts: string[] = [];
    const callIds: string[] = [];
    const resultIds: string[] = [];
    for (const { text, functionCall, functionResponse } of event.content?.parts ?? []) {
      if (text) texts.push(text);
      if (functionCall) {
        texts.push(callText(functionCall.name ?? "", functionCall.args));
        callIds.push(functionCall.id ?? "");
      }
      if (functionResponse) {
        texts.push(String(functionResponse.response?.["result"] ?? ""));
        resultIds.push(functionResponse.id ?? "");
      }
    }
    const isAnswer = resultIds.length > 0;
    const role = event.author === AGENT ? "assistant" : "user";
    return { role: isAnswer ? "tool" : role, text: lines(texts), callIds, resultIds };
  },
};

/**
 * Google ADK's `TokenBasedContextCompactor` with the budget as its threshold. Requests then show what ADK's content
 * processor selects: the latest summary and the events after it.
 */
export const adkCompactor = peerPolicy<Event>(
  "google adk TokenBasedContextCompactor",
  adkShape,
  ({ budget, model }) => {
    const events: Event[] = [];
    const compactor = new TokenBasedContextCompactor({
      tokenThreshold: budget,
      eventRetentionSize: RETAINED,
      summarizer: {
        summarize: async (span) => {
          const compactedContent = await model.summarize(span);
          const [first] = span;
          const last = span.at(-1);
          return Object.assign(createEvent({ id: `summary-${events.length}`, author: "system" }), {
            isCompacted: true as const,
            startTime: first?.timestamp ?? 0,
            endTime: last === undefined ? 0 : endOf(last),
            compactedContent,
          });
        },
      },
    });
    const context = { session: { events }, agent: { name: AGENT } } as unknown as Parameters<
      typeof compactor.compact
    >[0];
    return async (added) => {
      // Uses its own clock: events of one log may share a time, and ADK uses times to tell which of them a summary
      // covers.
      for (const event of added) events.push(Object.assign(event, { timestamp: events.length + 1 }));
      if (await compactor.shouldCompact(context)) await compactor.compact(context);
      return active(events);
    };
  },
);

/** Does what ADK's `getActiveEvents` does, which it does not export. */
function active(events: readonly Event[]): readonly Event[] {
  const latest = events.filter(isCompactedEvent).at(-1);
  if (latest === undefined) return [...events];
  return [latest, ...events.filter((event) => !isCompactedEvent(event) && event.timestamp > latest.endTime)];
}

/** Returns the end of the span that an event covers: a summary covers everything up to its own end. */
function endOf(event: Event): number {
  return isCompactedEvent(event) ? event.endTime : event.timestamp;
}

/** Merges the results of one step into one event, as ADK does. */
function eventOf(sources: readonly Message[]): Event {
  const [first] = sources;
  const isModel = first?.role === "assistant";
  return createEvent({
    id: first?.id ?? "",
    invocationId: "replay",
    author: isModel || first?.role === "tool" ? AGENT : "user",
    content: { role: isModel ? "model" : "user", parts: sources.flatMap(partsOf) },
  });
}

function partsOf(message: Message) {
  const text = textOf(message);
  return [
    ...(text === "" ? [] : [{ text }]),
    ...callsOf(message).map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
    ...resultsOf(message).map(({ id, name, text: result }) => ({
      functionResponse: { id, name, response: { result } },
    })),
  ];
}
