import type { ChatMessage, MessageId, SystemEntry } from "@threadfold/core";
import type { Draft } from "./draft.ts";
import { joinMetadata, systemRole, withoutSystemRole } from "./system-role.ts";

/** The system text that comes before a conversation, and the conversation. */
export interface SplitSystem {
  readonly texts: readonly SystemEntry[];
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
    texts: leading.flatMap(({ chat }) => systemTexts(chat)),
    sources: leading.flatMap(({ chat }) => chat.sources),
    drafts: [...preamble.filter(({ chat }) => chat.role !== "system"), ...drafts.slice(preamble.length)],
  };
}

/** System text is text alone: each part is a text, with the role and name of its message and with its own marks. */
function systemTexts({ parts, providerMetadata }: ChatMessage): readonly SystemEntry[] {
  const texts = parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part] : []));
  const role = systemRole(providerMetadata);
  return texts.map(({ text, providerMetadata: own }, index): SystemEntry => {
    const metadata = joinMetadata(index === 0 ? withoutSystemRole(providerMetadata) : undefined, own);
    const isPlain = role === undefined && index === 0 && metadata === undefined;
    return isPlain
      ? text
      : {
          text,
          ...(role !== undefined && { role }),
          ...(index > 0 && { continues: true as const }),
          ...(metadata !== undefined && { providerMetadata: metadata }),
        };
  });
}
