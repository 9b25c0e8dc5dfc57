import {
  type ChatMessage,
  type ChatRequest,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type Part,
  type ProviderMetadata,
  type SystemEntry,
  type TextPart,
  type ToolResultContent,
  type ToolResultPart,
  toolResultText,
  toSystemText,
} from "@threadfold/core";
import { asList } from "../legality/legality-rule.ts";
import { isBlank } from "../neutral/draft.ts";
import type { BreakpointPlaces } from "./breakpoint-places.ts";

/** How a provider marks the end of a cached prefix on a part. */
export interface PartMark {
  /** The provider whose field of `providerMetadata` it is. */
  readonly provider: string;
  readonly field: string;
  readonly value: JsonObject;
  /** Fields in which the log may carry marks of that provider: they are replaced. */
  readonly oldFields: readonly string[];
  /** Where the mark of a tool result is placed: on the result, or on the last text in it. */
  readonly onResults: "part" | "text";
  /** Whether this part of this message has a place for a mark. */
  carries(part: Part, message: ChatMessage): boolean;
}

/**
 * Marks a request at the places where cached prefixes end, replacing the marks that came with the thread. If a message
 * has no part that can carry a mark, the nearest earlier message that does is marked. Messages that do not change
 * remain the same objects.
 */
export function markRequest(request: ChatRequest, places: BreakpointPlaces, mark: PartMark): ChatRequest {
  const ends = new Set(places.messages.map((index) => carrierIndex(request.messages, index, mark)));
  const last = request.system.length - 1;
  return {
    ...request,
    system: request.system.map((entry, index) => markedEntry(entry, mark, places.frame && index === last)),
    messages: request.messages.map((message, index) => markedMessage(message, mark, ends.has(index))),
  };
}

/** Checks whether at least one of the places has a part that can carry a mark. */
export const canMark = (request: ChatRequest, places: BreakpointPlaces, mark: PartMark): boolean =>
  (places.frame && request.system.length > 0) ||
  places.messages.some((index) => carrierIndex(request.messages, index, mark) >= 0);

/** Returns where the marks actually go: each on the last message up to its place that can carry one. */
export function carrierPlaces(
  request: ChatRequest,
  { frame, messages }: BreakpointPlaces,
  mark: PartMark,
): BreakpointPlaces {
  const carriers = messages.map((index) => carrierIndex(request.messages, index, mark)).filter((index) => index >= 0);
  return { frame, messages: [...new Set(carriers)] };
}

const carrierIndex = (messages: readonly ChatMessage[], from: number, mark: PartMark): number =>
  messages.findLastIndex((message, index) => index <= from && carrierPart(message, mark) >= 0);

const carrierPart = (message: ChatMessage, { carries }: PartMark): number =>
  message.parts.findLastIndex((part) => carries(part, message));

function markedEntry(entry: SystemEntry, mark: PartMark, isEnd: boolean): SystemEntry {
  if (typeof entry === "string" && !isEnd) return entry;
  return withMark(toSystemText(entry), mark, isEnd);
}

function markedMessage(message: ChatMessage, mark: PartMark, isEnd: boolean): ChatMessage {
  const end = isEnd ? carrierPart(message, mark) : -1;
  const parts = message.parts.map((part, index) => markedPart(part, mark, index === end));
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
}

function markedPart(part: Part, mark: PartMark, isEnd: boolean): Part {
  if (part.type === "opaque") return part;
  if (part.type !== "tool-result") return withMark(part, mark, isEnd);
  return markedResult(withMark(part, mark, isEnd && mark.onResults === "part"), mark, isEnd);
}

/**
 * Removes the marks from the texts in a result and, if the mark goes on texts, marks the last one. Text-only content
 * counts as a single text, marked or not: a mark that moves on must not take a boundary between two texts with it.
 */
function markedResult(part: ToolResultPart, mark: PartMark, isEnd: boolean): ToolResultPart {
  const { content } = part.result;
  const isInside = isEnd && mark.onResults === "text";
  const isText = content.type !== "blocks" || content.blocks.every(({ type }) => type === "text");
  if (isText && isInside) return withBlocks(part, [withMark(textOf(content), mark, true)]);
  if (content.type !== "blocks") return part;
  const end = isInside ? content.blocks.findLastIndex(({ type }) => type === "text") : -1;
  const blocks = content.blocks.map((block, index) => withMark(block, mark, index === end));
  return blocks.every((block, index) => block === content.blocks[index]) ? part : withBlocks(part, blocks);
}

const textOf = (content: ToolResultContent): TextPart => ({ type: "text", text: toolResultText(content) });

const withBlocks = (part: ToolResultPart, blocks: readonly (TextPart | MediaPart)[]): ToolResultPart => ({
  ...part,
  result: { ...part.result, content: { type: "blocks", blocks } },
});

/** Returns an object with the mark or without any; the same object if nothing changes. */
function withMark<Kind extends { readonly providerMetadata?: ProviderMetadata }>(
  marked: Kind,
  { provider, field, value, oldFields }: PartMark,
  isEnd: boolean,
): Kind {
  const { providerMetadata, ...bare } = marked;
  const own = providerMetadata?.[provider];
  const hasOld = own !== undefined && oldFields.some((name) => Object.hasOwn(own, name));
  if (!isEnd && !hasOld) return marked;
  const kept = Object.fromEntries(Object.entries(own ?? {}).filter(([name]) => !oldFields.includes(name)));
  const fields = isEnd ? { ...kept, [field]: value } : kept;
  const { [provider]: _own, ...others } = providerMetadata ?? {};
  const metadata = Object.keys(fields).length === 0 ? others : { ...others, [provider]: fields };
  return (Object.keys(metadata).length === 0 ? bare : { ...bare, providerMetadata: metadata }) as Kind;
}

/** Checks whether a result contains non-blank text: nothing else can carry a mark on its text. */
export const hasResultText = ({ result: { content } }: ToolResultPart): boolean =>
  content.type === "blocks"
    ? content.blocks.some((block) => block.type === "text" && !isBlank(block.text))
    : !isBlank(toolResultText(content));

/** What marking a payload requires of its format. */
export interface MarkedFormat {
  readonly field: "messages" | "input";
  lower(request: ChatRequest): JsonObject;
  /** Returns how many items of the payload's list a message becomes. */
  itemsOf(message: ChatMessage): number;
}

/**
 * Transfers marks from a request to the payload that was lowered from the same request without them: only messages that
 * the marks changed are lowered again.
 */
export function markPayload(
  payload: JsonObject,
  request: ChatRequest,
  marked: ChatRequest,
  { field, lower, itemsOf }: MarkedFormat,
): JsonObject {
  const frame = lower({ ...marked, messages: [] });
  const leading = asList(frame[field]) as readonly JsonValue[];
  const items = [...leading, ...(asList(payload[field]).slice(leading.length) as readonly JsonValue[])];
  let position = leading.length;
  let caller: ChatMessage | undefined;
  marked.messages.forEach((message, index) => {
    const count = itemsOf(message);
    if (message.role === "assistant") caller = message;
    if (message !== request.messages[index]) items.splice(position, count, ...lowered(message, caller));
    position += count;
  });
  return { ...payload, ...frame, [field]: items };

  /** A result is lowered together with the message that called for it. */
  function lowered(message: ChatMessage, before: ChatMessage | undefined): readonly JsonValue[] {
    const messages = before === undefined || before === message ? [message] : [before, message];
    const list = asList(lower({ system: [], tools: [], messages })[field]) as readonly JsonValue[];
    return list.slice(-itemsOf(message));
  }
}
