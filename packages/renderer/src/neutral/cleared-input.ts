import {
  type ClearRecord,
  type JsonObject,
  type JsonValue,
  LARGE_INPUT_STRING,
  type ToolCallPart,
} from "@threadfold/core";
import { truncateMiddle } from "./truncate-middle.ts";

/** Longer lists are data. */
const MAX_ITEMS = 20;
/** What lies deeper is data. */
const MAX_DEPTH = 6;

/** Says what stands in place of a large string. */
export type StringMarker = (text: string) => string;

/**
 * The marker of a clear: how much there was, or its beginning and end, and the names that the record keeps of this call,
 * each where it stood first.
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

/** The names that a record keeps of a call's input, by call id. */
function namesOf({ names }: JsonObject, callId: string): readonly string[] {
  if (typeof names !== "object" || names === null || Array.isArray(names)) return [];
  const list = Object.hasOwn(names, callId) ? (names as JsonObject)[callId] : undefined;
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

/** A call whose large arguments gave way to markers. Call id, tool name and small fields stay; the input is an object. */
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
