import { type AgentThread, type ChatMessage, type Part, type Role, visibleText } from "@threadfold/core";

/** A message as a model would read it. */
export interface ReadMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** What a tool with one compaction has to show of a plan's window: texts within its summary, and messages behind it. */
export interface ExpectedWindow {
  readonly inSummary: readonly string[];
  readonly behind: readonly ReadMessage[];
}

/**
 * Reads off a window what the file of another tool has to show. Turns that only a request needs are none of it, and what
 * the tool itself summarized earlier is within the new summary.
 */
export function expectedWindow(window: readonly ChatMessage[], thread: AgentThread): ExpectedWindow {
  const shown = window.filter(({ synthetic }) => synthetic !== "continuation" && synthetic !== "missing-result");
  const fold = shown.findLastIndex(({ synthetic, sources }) => synthetic !== undefined && sources.length > 1);
  const isFormer = ([id]: ChatMessage["sources"]) => id !== undefined && thread.message(id)?.origin === "compaction";
  const summary = shown.filter(({ sources }, index) => index <= fold || sources.length === 0 || isFormer(sources));
  const behind = shown.filter((message) => !summary.includes(message));
  return { inSummary: summary.map(({ parts }) => visibleText({ parts })), behind: behind.map(read) };
}

const read = ({ role, parts }: ChatMessage): ReadMessage => ({ role, parts });

/** Messages without what says nothing: no request has blank text, nor the empty message of a call that was cut off. */
export const saying = (messages: readonly ReadMessage[]): readonly ReadMessage[] =>
  messages
    .map(({ role, parts }) => ({
      role,
      parts: parts.filter((part) => part.type !== "text" || part.text.trim() !== ""),
    }))
    .filter(({ parts }) => parts.length > 0);
