import {
  type ClearRecord,
  type JsonObject,
  type JsonValue,
  LARGE_INPUT_STRING,
  type Message,
  type Part,
  previewOf,
  type TextPart,
  type ToolCallPart,
  type ToolResultContent,
  type ToolResultEnvelope,
  toChatMessage,
  toolResultText,
} from "@threadfold/core";
import type { Draft } from "./draft.ts";
import { derivationByTools, type RecallTools } from "./recall-tools.ts";
import { keyDataLines, mediaMarker, previewLines, toolOutcome, truncateMiddle } from "./result-lines.ts";

/** Longer lists count as data. */
const MAX_ITEMS = 20;
/** Anything nested deeper counts as data. */
const MAX_DEPTH = 6;

/** Returns the text that replaces a large string. */
export type StringMarker = (text: string) => string;

/**
 * Returns the marker of a clear: the length of the string, or its beginning and end, plus the names that the record
 * keeps of this call, each where it first appeared.
 */
export function clearMarker({ keep, preservedFields }: ClearRecord, { callId }: ToolCallPart): StringMarker {
  const unnamed = new Set(namesOf(preservedFields, callId));
  return (text) => {
    const shorter = keep === undefined ? `[cleared: ${text.length} characters]` : truncateMiddle(text, keep);
    if (shorter === text) return text;
    const names = [...unnamed].filter((name) => text.includes(name));
    for (const name of names) unnamed.delete(name);
    const missing = names.filter((name) => !shorter.includes(name));
    return missing.length === 0 ? shorter : `${shorter}\n[names in it: ${missing.join(", ")}]`;
  };
}

/** Returns the names that a record keeps of a call's input. */
function namesOf({ names }: JsonObject, callId: string): readonly string[] {
  if (typeof names !== "object" || names === null || Array.isArray(names)) return [];
  const list = Object.hasOwn(names, callId) ? (names as JsonObject)[callId] : undefined;
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

/**
 * Replaces large arguments of a call with markers. Call id, tool name and small fields stay; the input is an object.
 */
export function clearedCall(part: ToolCallPart, marker: StringMarker): ToolCallPart {
  const { invalidInput, ...call } = part;
  if (invalidInput !== undefined) return { ...call, input: { _raw: marker(invalidInput) } };
  const { input } = part;
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return { ...call, input: isObject ? emptied(input as JsonObject, marker, 0) : { _raw: emptied(input, marker, 0) } };
}

function emptied(value: JsonValue, marker: StringMarker, depth: number): JsonValue {
  if (typeof value === "string") return value.length >= LARGE_INPUT_STRING ? marker(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[cleared]";
  return Array.isArray(value) ? emptiedList(value, marker, depth) : emptiedObject(value as JsonObject, marker, depth);
}

function emptiedList(items: readonly JsonValue[], marker: StringMarker, depth: number): JsonValue {
  const kept = items.slice(0, MAX_ITEMS).map((item) => emptied(item, marker, depth + 1));
  return items.length > MAX_ITEMS ? [...kept, `[cleared: ${items.length - MAX_ITEMS} items]`] : kept;
}

function emptiedObject(fields: JsonObject, marker: StringMarker, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === undefined ? value : emptied(value, marker, depth + 1),
    ]),
  );
}

/** Drafts a message that keeps its position with a cleared body; null when nothing of it is left. */
export function clearedMessage(message: Message, record: ClearRecord, recall: RecallTools): Draft | null {
  const parts = clearedParts(message, record, recall);
  if (parts.length === 0) return null;
  const chat = { ...toChatMessage(message), parts, synthetic: "placeholder" } as const;
  return { chat, action: "clear", share: "pointers", record, message, ordinal: message.ordinal };
}

const clearedParts = derivationByTools((message: Message, record: ClearRecord, recall): readonly Part[] => {
  const textsOf = record.targets.includes("text") ? clearedTexts(message, record) : (part: TextPart) => [part];
  return message.parts.flatMap((part): readonly Part[] =>
    part.type === "text" ? textsOf(part) : clearedPart(part, message.ordinal, record, recall),
  );
});

function clearedPart(
  part: Exclude<Part, TextPart>,
  ordinal: number,
  record: ClearRecord,
  recall: RecallTools,
): readonly Part[] {
  const { targets } = record;
  switch (part.type) {
    case "tool-result": {
      const content = clearedResult(part.result, ordinal, record, recall);
      return [content === part.result.content ? part : { ...part, result: { ...part.result, content } }];
    }
    case "tool-call":
      return [targets.includes("tool-input") ? clearedCall(part, clearMarker(record, part)) : part];
    case "reasoning":
      return targets.includes("reasoning") ? [] : [part];
    case "image":
    case "file":
      return [targets.includes("media") ? mediaMarker(part, "cleared") : part];
    case "opaque":
      return [part];
  }
}

/** Truncates each text, or replaces all texts with one marker in place of the first. */
function clearedTexts(
  message: Message,
  { keep, preservedFields }: ClearRecord,
): (part: TextPart) => readonly TextPart[] {
  if (keep !== undefined) return (part) => [{ type: "text", text: truncateMiddle(part.text, keep) }];
  const texts = message.parts.filter((part) => part.type === "text");
  const size = texts.reduce((sum, part) => sum + part.text.length, 0);
  const text = [...keyDataLines(preservedFields), `[cleared: ${size} characters]`].join("\n");
  return (part) => (part === texts[0] ? [{ type: "text", text }] : []);
}

/** Returns the body that replaces that of a cleared tool result. Call id, tool name and outcome stay. */
function clearedResult(
  result: ToolResultEnvelope,
  ordinal: number,
  record: ClearRecord,
  recall: RecallTools,
): ToolResultContent {
  if (record.targets.includes("tool-result")) {
    const preview = previewOf(record);
    if (preview !== undefined) {
      const [what, ...lines] = previewLines(result, preview, { ordinal, artifactId: null }, recall);
      return { type: "text", text: [`[${what}]`, ...lines].join("\n") };
    }
    return record.keep === undefined ? placeholder(result, record) : truncated(result, record, record.keep);
  }
  return record.targets.includes("media") ? withoutMedia(result.content) : result.content;
}

/** Returns the text that replaces a cleared body: tool and outcome, key fields, and its length. */
function placeholder(result: ToolResultEnvelope, record: ClearRecord): ToolResultContent {
  const size = toolResultText(result.content).length;
  const lines = [`[${toolOutcome(result)}]`, ...keyDataLines(record.preservedFields), `[cleared: ${size} characters]`];
  return { type: "text", text: lines.join("\n") };
}

function truncated(
  result: ToolResultEnvelope,
  record: ClearRecord,
  keep: NonNullable<ClearRecord["keep"]>,
): ToolResultContent {
  const text = toolResultText(result.content);
  const shorter = truncateMiddle(text, keep);
  if (shorter === text) return result.content;
  return { type: "text", text: [shorter, ...keyDataLines(record.preservedFields)].join("\n") };
}

function withoutMedia(content: ToolResultContent): ToolResultContent {
  if (content.type !== "blocks") return content;
  return {
    ...content,
    blocks: content.blocks.map((block) => (block.type === "text" ? block : mediaMarker(block, "cleared"))),
  };
}
