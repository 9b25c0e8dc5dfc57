import { type Message, visibleText } from "@threadfold/core";
import { QUERY_MESSAGES, recallQuery } from "@threadfold/rehydration";
import type { RecordedCall } from "../recording/recorded-calls.ts";

/** The queries that recall is asked before a call is made. */
export interface RecallQueries {
  /** What a session asks by itself: made of the last messages before the call, without knowing it. */
  readonly own: string;
  /** What the agent said with the call; where it said nothing, what it said last. */
  readonly ownWords: string;
  /** The call itself, which nobody knows before it is made: how much better a query could be. */
  readonly callWords: string;
}

/** The queries before a recorded call, over the messages of its session. */
export function recallQueries(messages: readonly Message[], { answer }: Pick<RecordedCall, "answer">): RecallQueries {
  const end = (answer[0] as Message).ordinal;
  const said = saidIn(answer);
  return {
    own: recallQuery(messages.slice(Math.max(0, end - QUERY_MESSAGES), end)),
    ownWords: said === "" ? lastSaid(messages, end) : said,
    callWords: answer.map(visibleText).join("\n"),
  };
}

function lastSaid(messages: readonly Message[], end: number): string {
  for (let ordinal = end - 1; ordinal >= 0; ordinal--) {
    const message = messages[ordinal] as Message;
    const said = message.role === "assistant" && message.branch === undefined ? saidIn([message]) : "";
    if (said !== "") return said;
  }
  return "";
}

const saidIn = (messages: readonly Message[]): string =>
  messages
    .filter(({ role }) => role === "assistant")
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
    .join("\n")
    .trim();
