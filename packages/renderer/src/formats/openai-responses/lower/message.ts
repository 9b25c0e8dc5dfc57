import type { ChatMessage, JsonValue, MediaPart, Part, TextPart } from "@threadfold/core";
import { systemRole } from "../../../neutral/system-role.ts";
import type { ResponsesItem, ResponsesMessage } from "../wire-types.ts";
import { lowerAssistantText } from "./assistant-text.ts";
import { lowerContents } from "./content.ts";
import { itemIds } from "./item-ids.ts";
import { lowerReasoning } from "./reasoning.ts";
import { lowerToolCall } from "./tool-call.ts";
import { lowerToolOutput } from "./tool-output.ts";

type Lowered = ResponsesItem | JsonValue;

/**
 * Lowers one message to its items, from itself and the message that made the calls it answers alone: a longer log lowers
 * only what is new. Each part is one item, or one piece of content where several are said together.
 *
 * @param around the assistant message before a result, and the ids that earlier items have.
 */
export function lowerMessage(message: ChatMessage, { caller, takenIds }: Around): readonly Lowered[] {
  return message.role === "assistant" ? lowerAssistant(message, takenIds) : lowerSpeech(message, caller);
}

/** What of the messages before it a message is lowered by. */
export interface Around {
  readonly caller: ChatMessage | undefined;
  readonly takenIds: ReadonlySet<string>;
}

function lowerAssistant(message: ChatMessage, takenIds: ReadonlySet<string>): readonly Lowered[] {
  const ids = itemIds(message, takenIds);
  return message.parts.map((part) => {
    if (part.type === "text") return lowerAssistantText(part, ids.get(part));
    if (isSaid(part)) return spoken("assistant", [part]);
    return lowerItem(part, ids.get(part), undefined);
  });
}

/** How many items a message is: each of its parts, where what is said together counts as one. */
export const itemCount = ({ role, parts }: ChatMessage): number =>
  role === "assistant"
    ? parts.length
    : parts.filter((part, index) => !isSaid(part) || !isSaid(parts[index - 1])).length;

/** What is said together is one message; other items stand between. */
function lowerSpeech(
  { role, parts, providerMetadata }: ChatMessage,
  caller: ChatMessage | undefined,
): readonly Lowered[] {
  const items: Lowered[] = [];
  let said: (TextPart | MediaPart)[] = [];
  const speaker = role === "system" ? (systemRole(providerMetadata) ?? "developer") : "user";
  const flush = (): void => {
    if (said.length > 0) items.push(spoken(speaker, said));
    said = [];
  };
  for (const part of parts) {
    if (isSaid(part)) {
      said.push(part);
      continue;
    }
    flush();
    items.push(lowerItem(part, undefined, caller));
  }
  flush();
  return items;
}

export const isSaid = (part: Part | undefined): part is TextPart | MediaPart =>
  part?.type === "text" || part?.type === "image" || part?.type === "file";

const spoken = (role: ResponsesMessage["role"], said: readonly (TextPart | MediaPart)[]): ResponsesItem => ({
  type: "message",
  role,
  content: lowerContents(said),
});

function lowerItem(
  part: Exclude<Part, TextPart | MediaPart>,
  id: string | undefined,
  caller: ChatMessage | undefined,
): Lowered {
  switch (part.type) {
    case "reasoning":
      return lowerReasoning(part, id);
    case "tool-call":
      return lowerToolCall(part, id);
    case "tool-result":
      return lowerToolOutput(part, caller);
    case "opaque":
      return part.value;
  }
}
