import type { MessageId, Part } from "@threadfold/core";
import type { Draft } from "./draft.ts";

/** The system text that comes before a conversation, and the conversation. */
export interface SplitSystem {
  readonly texts: readonly string[];
  readonly sources: readonly MessageId[];
  readonly drafts: readonly Draft[];
}

/**
 * Takes the system messages off that a thread begins with; pins that were made before anyone spoke do not count. A system
 * message further down stays in its place: it holds from there on.
 */
export function splitLeadingSystem(drafts: readonly Draft[]): SplitSystem {
  const spoken = drafts.findIndex(({ chat, action }) => chat.role !== "system" && action !== "pins");
  const preamble = spoken < 0 ? drafts : drafts.slice(0, spoken);
  const leading = preamble.filter(({ chat }) => chat.role === "system");
  if (leading.length === 0) return { texts: [], sources: [], drafts };
  return {
    texts: leading.flatMap(({ chat }) => systemText(chat.parts)),
    sources: leading.flatMap(({ chat }) => chat.sources),
    drafts: [...preamble.filter(({ chat }) => chat.role !== "system"), ...drafts.slice(preamble.length)],
  };
}

/** System text is text alone; the parts of one message are one text. */
function systemText(parts: readonly Part[]): readonly string[] {
  const texts = parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []));
  return texts.length === 0 ? [] : [texts.join("\n")];
}
