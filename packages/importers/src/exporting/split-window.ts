import {
  type AgentThread,
  actionOf,
  type ChatMessage,
  type CompactionPlan,
  type Message,
  type SyntheticKind,
  visibleText,
} from "@threadfold/core";

/** A message of the log that the window still shows, either unchanged or with another body. */
export interface TailMessage {
  readonly message: Message;
  readonly chat: ChatMessage;
  /** True when the plan shows a different body from the log's. */
  readonly isChanged: boolean;
}

/**
 * A window as tools with a single compaction can show it: what goes into the summary, and the log messages after it.
 */
interface SplitWindow {
  /** Summaries, pointers and pins, and messages before the last fold that are kept word for word. */
  readonly head: readonly ChatMessage[];
  readonly tail: readonly TailMessage[];
}

/** Messages that rendering adds for a single request. A tool that reads the session adds its own. */
const OF_THE_REQUEST: ReadonlySet<SyntheticKind | undefined> = new Set([
  "continuation",
  "missing-result",
  "rehydration",
]);

/**
 * Splits a window after the last message that replaces several. Window messages that replace no message of the log, and
 * summaries that the tool itself wrote earlier, go into the head wherever they are: a log cannot show them anywhere
 * else.
 */
export function splitWindow(window: readonly ChatMessage[], thread: AgentThread, plan: CompactionPlan): SplitWindow {
  const shown = window.filter(({ synthetic }) => !OF_THE_REQUEST.has(synthetic));
  const split = shown.findLastIndex(standsForSpan) + 1;
  const head = shown.slice(0, split);
  const tail: TailMessage[] = [];
  for (const chat of shown.slice(split)) {
    const message = inPlace(chat, thread);
    if (message === null) head.push(chat);
    else tail.push({ message, chat, isChanged: actionOf(plan, message.id).action !== "include" });
  }
  return { head, tail };
}

const standsForSpan = ({ sources, synthetic }: ChatMessage): boolean =>
  synthetic === "summary" || (synthetic !== undefined && sources.length > 1);

/** The log message that this window message shows at its own position; null when there is none. */
function inPlace({ role, sources }: ChatMessage, thread: AgentThread): Message | null {
  const [id, ...others] = sources;
  const message = id === undefined || others.length > 0 ? undefined : thread.message(id);
  const isOwn = message !== undefined && message.role === role && role !== "system";
  return isOwn && message.origin !== "compaction" ? message : null;
}

/** Returns the head of a window as the text of one summary. Messages kept word for word are labeled with their role. */
export const headText = (head: readonly ChatMessage[]): string => head.map(textOf).join("\n\n");

function textOf({ role, parts, synthetic }: ChatMessage): string {
  const text = visibleText({ parts });
  return synthetic === undefined ? `[${role}, word for word]\n${text}` : text;
}
