import {
  type ChatMessage,
  type MessageId,
  type ProviderMetadata,
  type SystemEntry,
  type SystemText,
  toSystemText,
} from "@threadfold/core";
import type { Draft } from "./draft.ts";

/** The system text before a conversation, and the conversation. */
export interface SplitSystem {
  readonly texts: readonly SystemEntry[];
  readonly sources: readonly MessageId[];
  readonly drafts: readonly Draft[];
}

/**
 * Splits off the system messages that a thread begins with, ignoring pins that were made before anyone spoke. A later
 * system message stays in its place: it applies from there on.
 */
export function splitLeadingSystem(drafts: readonly Draft[]): SplitSystem {
  const spoken = drafts.findIndex(({ chat, action }) => chat.role !== "system" && action !== "pins");
  const preamble = spoken < 0 ? drafts : drafts.slice(0, spoken);
  const leading = preamble.filter(saysSystemText);
  if (leading.length === 0) return { texts: [], sources: [], drafts };
  return {
    texts: leading.flatMap(({ chat }) => systemTexts(chat)),
    sources: leading.flatMap(({ chat }) => chat.sources),
    drafts: [...preamble.filter((draft) => !saysSystemText(draft)), ...drafts.slice(preamble.length)],
  };
}

/** A system message without content may still change a setting. */
const saysSystemText = ({ chat }: Draft): boolean => chat.role === "system" && chat.parts.length > 0;

/**
 * System text is text only: each part becomes one text, with the role and name of its message and with its own marks.
 */
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

/**
 * Groups system texts into the messages that they form: each is its own message unless it continues the previous one.
 */
export function systemMessages(system: readonly SystemEntry[]): readonly (readonly SystemText[])[] {
  const messages: SystemText[][] = [];
  for (const entry of system) {
    const text = toSystemText(entry);
    const open = text.continues === true ? messages.at(-1) : undefined;
    if (open === undefined) messages.push([text]);
    else open.push(text);
  }
  return messages;
}

/** Returns which of OpenAI's two system roles a message had; undefined if the log does not say. */
export function systemRole(metadata: ProviderMetadata | undefined): SystemText["role"] {
  const role = metadata?.["openai"]?.["role"];
  return role === "system" || role === "developer" ? role : undefined;
}

/** Returns a message's provider metadata without that role; undefined when there is nothing else. */
export function withoutSystemRole(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  if (metadata?.["openai"]?.["role"] === undefined) return metadata;
  const { openai, ...others } = metadata;
  const { role: _role, ...more } = openai ?? {};
  const rest = Object.keys(more).length === 0 ? others : { ...others, openai: more };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Joins the provider metadata of a message and its first part, when both are sent as one. */
function joinMetadata(
  first: ProviderMetadata | undefined,
  second: ProviderMetadata | undefined,
): ProviderMetadata | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const providers = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return Object.fromEntries(providers.map((provider) => [provider, { ...first[provider], ...second[provider] }]));
}
