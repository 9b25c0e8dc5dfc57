import {
  AppendOnlyList,
  type ChatMessage,
  type ChatRequest,
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type RunningSha256,
  startSha256,
  type ToolDefinition,
} from "@threadfold/core";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { Rendering } from "../input/render-input.ts";
import { asList } from "../legality/legality-rule.ts";

/** The beginning of a payload that a longer log no longer changes, lowered once. */
export interface LoweredBeginning {
  /** The settled messages that it was lowered from. */
  readonly chats: AppendOnlyList<ChatMessage>;
  readonly items: AppendOnlyList<JsonValue>;
  /** The definitions with which the frame was lowered. */
  readonly tools: readonly ToolDefinition[];
  readonly frame: PayloadFrame;
}

/** The serialized and hashed part of a beginning. */
export interface WrittenBeginning {
  /** Number of its items that are written. */
  readonly items: number;
  /** Canonical JSON of the payload before the first of them. */
  readonly head: string;
  /** Canonical JSON of the payload up to and including the last of them. */
  readonly text: string;
  readonly hash: RunningSha256;
  /** Length of `text` in bytes of UTF-8. */
  readonly bytes: number;
}

/** A payload without its messages. */
interface PayloadFrame {
  readonly payload: JsonObject;
  /** Items that the frame puts before the messages, such as system messages. */
  readonly items: readonly JsonValue[];
  /** Canonical JSON before and after the list of messages. */
  readonly head: string;
  readonly tail: string;
}

/** Lowers the beginning of a payload, before its first message. */
export function beginPayload({ request }: Rendering, format: ProviderFormat): LoweredBeginning {
  const frame = loweredFrame(request, format);
  const items = AppendOnlyList.empty<JsonValue>().append(frame.items);
  return { chats: AppendOnlyList.empty<ChatMessage>(), items, tools: request.tools, frame };
}

/** Adapts a beginning to a request that declares other tools. Its items stay unchanged: none depends on the tools. */
export function withTools(
  beginning: LoweredBeginning,
  { request }: Rendering,
  format: ProviderFormat,
): LoweredBeginning {
  if (request.tools === beginning.tools) return beginning;
  return { ...beginning, tools: request.tools, frame: loweredFrame(request, format) };
}

const loweredFrame = (request: ChatRequest, format: ProviderFormat): PayloadFrame =>
  payloadFrame(format.lower({ ...request, messages: [] }).payload, format.messagesField);

/** Appends further messages to the beginning of a payload. */
export function extendPayload(
  beginning: LoweredBeginning,
  chats: AppendOnlyList<ChatMessage>,
  format: ProviderFormat,
): LoweredBeginning {
  const added = chats.slice(beginning.chats.length);
  if (added.length === 0) return beginning;
  return { ...beginning, items: beginning.items.append(lowerItems(added, format)), chats };
}

/** Lowers messages to the items of a payload's list. */
export function lowerItems(messages: readonly ChatMessage[], format: ProviderFormat): readonly JsonValue[] {
  return asList(
    format.lower({ system: [], tools: [], messages }).payload[format.messagesField],
  ) as readonly JsonValue[];
}

/** Returns the text of further items after this many. */
export function itemsText(length: number, added: readonly JsonValue[]): string {
  const text = added.map(canonicalJson).join(",");
  return length === 0 || text === "" ? text : `,${text}`;
}

/** Serializes a beginning, continuing from what was written before. */
export function writeBeginning(
  { frame, items }: LoweredBeginning,
  before: WrittenBeginning | undefined,
): WrittenBeginning {
  const { head } = frame;
  const start =
    before?.head === head
      ? before
      : { items: 0, head, text: head, hash: startSha256().update(head), bytes: byteLength(head) };
  if (start.items === items.length) return start;
  const text = itemsText(start.items, items.slice(start.items));
  return {
    items: items.length,
    head,
    text: start.text + text,
    hash: start.hash.update(text),
    bytes: start.bytes + byteLength(text),
  };
}

const byteLength = (text: string): number => Buffer.byteLength(text);

/** Canonical JSON sorts fields by name, so the list of messages has a fixed place among them. */
function payloadFrame(payload: JsonObject, field: string): PayloadFrame {
  const { [field]: items, ...rest } = payload;
  const fields = Object.entries(rest).filter(([, value]) => value !== undefined);
  const write = (kept: readonly (readonly [string, unknown])[]): string =>
    canonicalJson(Object.fromEntries(kept)).slice(1, -1);
  const before = write(fields.filter(([name]) => name < field));
  const behind = write(fields.filter(([name]) => name > field));
  return {
    payload,
    items: asList(items) as readonly JsonValue[],
    head: `{${before === "" ? "" : `${before},`}${JSON.stringify(field)}:[`,
    tail: `]${behind === "" ? "" : `,${behind}`}}`,
  };
}
