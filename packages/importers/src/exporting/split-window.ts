import {
  type AgentThread,
  actionOf,
  type ChatMessage,
  type CompactionPlan,
  type Message,
  type SyntheticKind,
  visibleText,
} from "@threadfold/core";

/** A message of the log that the window still shows, as it is or with another body. */
export interface TailMessage {
  readonly message: Message;
  readonly chat: ChatMessage;
  /** True when the plan shows another body than the log has. */
  readonly isChanged: boolean;
}

/**
 * A window as tools with one compaction can show it: what goes into the summary, and the messages of the log behind it.
 */
interface SplitWindow {
  /** Summaries, pointers and pins, and the messages that are kept word for word before the last fold. */
  readonly head: readonly ChatMessage[];
  readonly tail: readonly TailMessage[];
}

/** What rendering adds for the sake of one request. A tool that reads the session adds its own. */
const OF_THE_REQUEST: ReadonlySet<SyntheticKind | undefined> = new Set([
  "continuation",
  "missing-result",
  "rehydration",
]);

/**
 * Splits a window behind the last message that stands for several. What stands for no message of the log, and summaries
 * that the tool itself wrote earlier, goes into the head wherever it stands: a log can show it in no other place.
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

/** The message of the log that this one shows in its own place; null when it shows none. */
function inPlace({ role, sources }: ChatMessage, thread: AgentThread): Message | null {
  const [id, ...others] = sources;
  const message = id === undefined || others.length > 0 ? undefined : thread.message(id);
  const isOwn = message !== undefined && message.role === role && role !== "system";
  return isOwn && message.origin !== "compaction" ? message : null;
}

/** The head of a window as the text of one summary. What is kept word for word says whose words they are. */
export const headText = (head: readonly ChatMessage[]): string => head.map(textOf).join("\n\n");

function textOf({ role, parts, synthetic }: ChatMessage): string {
  const text = visibleText({ parts });
  return synthetic === undefined ? `[${role}, word for word]\n${text}` : text;
}
