import {
  type ChatMessage,
  type ChatRequest,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type Part,
  type ReasoningPart,
  type SystemEntry,
  type SystemText,
  systemText,
  type TextPart,
  toSystemText,
} from "@threadfold/core";
import { systemMessages, systemRole } from "../../neutral/split-system.ts";
import { itemIds, openaiMetadata } from "./item-ids.ts";
import { lowerContents, lowerToolCall, lowerToolOutput, lowerTools } from "./lower-tools.ts";
import type {
  ResponsesItem,
  ResponsesMessage,
  ResponsesOutputMessage,
  ResponsesPhase,
  ResponsesReasoning,
  ResponsesRequest,
} from "./wire-types.ts";

/**
 * Lowers a request. System texts become the instructions, up to the first that is sent under a role of its own; from
 * there on they are items. Nothing is stored: every request carries its whole window, with encrypted reasoning.
 */
export function lowerRequest({ system, tools, messages }: ChatRequest): ResponsesRequest {
  const { instructions, items } = lowerSystem(system);
  return {
    ...(instructions !== undefined && { instructions }),
    input: [...items, ...lowerInput(messages)],
    ...(tools.length > 0 && { tools: lowerTools(tools) }),
    store: false,
  };
}

function lowerInput(messages: readonly ChatMessage[]): readonly (ResponsesItem | JsonValue)[] {
  const takenIds = new Set<string>();
  let caller: ChatMessage | undefined;
  return messages.flatMap((message) => {
    if (message.role === "assistant") caller = message;
    const items = lowerMessage(message, { caller, takenIds });
    for (const item of items) {
      const { id } = Object(item) as { readonly id?: unknown };
      if (typeof id === "string") takenIds.add(id);
    }
    return items;
  });
}

type Lowered = ResponsesItem | JsonValue;

/**
 * Lowers one message to its items, using only the message itself and the message that made the calls it answers: a
 * longer log lowers only what is new. Each part is one item, or one piece of content if several are said together.
 *
 * @param around the assistant message before a result, and the ids that earlier items have.
 */
function lowerMessage(message: ChatMessage, { caller, takenIds }: Around): readonly Lowered[] {
  const ids = itemIds(message, takenIds);
  return message.role === "assistant" ? lowerAssistant(message, ids) : lowerSpeech(message, caller, ids);
}

/** The context of a message that lowering it needs. */
interface Around {
  readonly caller: ChatMessage | undefined;
  readonly takenIds: ReadonlySet<string>;
}

function lowerAssistant({ parts }: ChatMessage, ids: ReadonlyMap<Part, string>): readonly Lowered[] {
  return parts.map((part) => {
    if (part.type === "text") return lowerAssistantText(part, ids.get(part));
    if (isSaid(part)) return spoken("assistant", [part]);
    return lowerItem(part, ids.get(part), undefined);
  });
}

/** Returns how many items a message becomes: one for each part, but only one for content that is said together. */
export const itemCount = ({ role, parts }: ChatMessage): number =>
  role === "assistant"
    ? parts.length
    : parts.filter((part, index) => !isSaid(part) || !isSaid(parts[index - 1])).length;

/**
 * Lowers content that is said together to one message; other items separate it. Among them may be a call that was
 * answered late, with its reasoning.
 */
function lowerSpeech(
  { role, parts, providerMetadata }: ChatMessage,
  caller: ChatMessage | undefined,
  ids: ReadonlyMap<Part, string>,
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
    items.push(lowerItem(part, ids.get(part), caller));
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

/** System texts before the conversation: those sent as one instructions text, and those sent as the first items. */
interface LoweredSystem {
  readonly instructions: string | undefined;
  readonly items: readonly ResponsesItem[];
}

function lowerSystem(system: readonly SystemEntry[]): LoweredSystem {
  const own = system.findIndex((entry) => toSystemText(entry).role !== undefined);
  const instructed = own < 0 ? system : system.slice(0, own);
  return {
    instructions: instructed.length === 0 ? undefined : instructed.map(systemText).join("\n\n"),
    items: own < 0 ? [] : systemMessages(system.slice(own)).map(systemItem),
  };
}

function systemItem(texts: readonly SystemText[]): ResponsesItem {
  const [first] = texts;
  const parts = texts.map(({ text, providerMetadata }): TextPart => {
    return { type: "text", text, ...(providerMetadata !== undefined && { providerMetadata }) };
  });
  return { type: "message", role: first?.role ?? "developer", content: lowerContents(parts) };
}

/**
 * Lowers a text of the model to a message: in its original form if its id is kept, else in the short form without id.
 */
function lowerAssistantText(part: TextPart, id: string | undefined): ResponsesMessage | ResponsesOutputMessage {
  const { text } = part;
  const metadata = openaiMetadata(part);
  const phase = phaseOf(metadata?.["phase"]);
  if (id === undefined) return { type: "message", role: "assistant", content: text, ...phase };
  const annotations = metadata?.["annotations"];
  const content =
    metadata?.["refusal"] === true
      ? ({ type: "refusal", refusal: text } as const)
      : ({ type: "output_text", text, annotations: Array.isArray(annotations) ? annotations : [] } as const);
  return { type: "message", id, role: "assistant", status: "completed", content: [content], ...phase };
}

function phaseOf(phase: unknown): { readonly phase?: ResponsesPhase } {
  return phase === "commentary" || phase === "final_answer" ? { phase } : {};
}

/** Sends reasoning back as the item that it came as, if the log has it; else as its summary and encrypted content. */
function lowerReasoning(part: ReasoningPart, id: string | undefined): ResponsesReasoning {
  const item = Object(openaiMetadata(part)?.["item"]) as JsonObject;
  const summary = textsOf(item["summary"], "summary_text");
  const content = textsOf(item["content"], "reasoning_text");
  return {
    type: "reasoning",
    ...(id !== undefined && { id }),
    summary: summary ?? (part.text === "" ? [] : [{ type: "summary_text", text: part.text }]),
    ...(content !== undefined && { content }),
    encrypted_content: part.encrypted ?? "",
  };
}

/** Returns a list of texts as the provider wrote it; undefined for anything else. */
function textsOf<Type extends string>(
  value: unknown,
  type: Type,
): readonly { readonly type: Type; readonly text: string }[] | undefined {
  const isList =
    Array.isArray(value) && value.every((one) => Object(one).type === type && typeof one.text === "string");
  return isList ? (value as { readonly type: Type; readonly text: string }[]) : undefined;
}
