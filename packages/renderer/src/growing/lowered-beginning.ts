import {
  AppendOnlyList,
  type ChatMessage,
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type RunningSha256,
  startSha256,
} from "@threadfold/core";
import type { ProviderFormat } from "../formats/provider-format.ts";
import { asList } from "../legality/plain-object.ts";
import type { Rendering } from "../render-input.ts";

/** The beginning of a payload that a longer log no longer changes: lowered, written down and hashed once. */
export interface LoweredBeginning {
  /** The settled messages that it was lowered from. */
  readonly chats: AppendOnlyList<ChatMessage>;
  readonly items: AppendOnlyList<JsonValue>;
  /** Canonical JSON of the payload up to and including the last of these items. */
  readonly text: string;
  readonly hash: RunningSha256;
  /** Length of `text` in bytes of UTF-8. */
  readonly bytes: number;
  readonly frame: PayloadFrame;
}

/** A payload without its messages. */
export interface PayloadFrame {
  readonly payload: JsonObject;
  /** Items that the frame puts before the messages, such as system messages. */
  readonly items: readonly JsonValue[];
  /** Canonical JSON of what comes before and behind the list of messages. */
  readonly head: string;
  readonly tail: string;
}

/** The beginning of a payload before its first message. */
export function beginPayload({ request }: Rendering, format: ProviderFormat): LoweredBeginning {
  const frame = payloadFrame(format.lower({ ...request, messages: [] }).payload, format.messagesField);
  const nothing = { chats: AppendOnlyList.empty<ChatMessage>(), items: AppendOnlyList.empty<JsonValue>() };
  const start = { ...nothing, frame, ...written(startSha256(), frame.head) };
  return withItems(start, frame.items);
}

/** The beginning of a payload with further messages behind it. */
export function extendPayload(
  beginning: LoweredBeginning,
  chats: AppendOnlyList<ChatMessage>,
  format: ProviderFormat,
): LoweredBeginning {
  const added = chats.slice(beginning.chats.length);
  return added.length === 0 ? beginning : { ...withItems(beginning, lowerItems(added, format)), chats };
}

/** Messages as the items of a payload's list. */
export function lowerItems(messages: readonly ChatMessage[], format: ProviderFormat): readonly JsonValue[] {
  return asList(
    format.lower({ system: [], tools: [], messages }).payload[format.messagesField],
  ) as readonly JsonValue[];
}

/** What is written of further items behind a beginning. */
export function itemsText({ items: { length } }: LoweredBeginning, added: readonly JsonValue[]): string {
  const text = added.map(canonicalJson).join(",");
  return length === 0 || text === "" ? text : `,${text}`;
}

function withItems(beginning: LoweredBeginning, added: readonly JsonValue[]): LoweredBeginning {
  const text = itemsText(beginning, added);
  const { hash, bytes } = written(beginning.hash, text);
  return {
    ...beginning,
    items: beginning.items.append(added),
    text: beginning.text + text,
    hash,
    bytes: beginning.bytes + bytes,
  };
}

const written = (hash: RunningSha256, text: string) => ({
  text,
  hash: hash.update(text),
  bytes: Buffer.byteLength(text),
});

/** Canonical JSON sorts fields by name, so the list has a place among them. */
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
