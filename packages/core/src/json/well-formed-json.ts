import { type JsonValue, MAX_VALUE_DEPTH } from "./json-value.ts";
import { isPlainObject } from "./plain-object.ts";

/**
 * Returns the value as canonical JSON can carry it inside a message: lone surrogates become U+FFFD, numbers that are not
 * finite become null, what lies deeper than the depth limit becomes a marker string, and of an instance of a class its own
 * properties remain. Untouched values are returned as they are, so a well-formed value costs one walk and no copy.
 * Importers use it on foreign data before it enters a thread.
 */
export function toWellFormedJson(value: unknown, depth = 0): JsonValue {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object") return null;
  if (depth >= MAX_VALUE_DEPTH) return "[nested too deeply]";
  return Array.isArray(value) ? wellFormedArray(value, depth) : wellFormedObject(value, depth);
}

function wellFormedArray(items: readonly unknown[], depth: number): JsonValue {
  let copy: JsonValue[] | undefined;
  // Not `forEach`, which passes over holes.
  for (let index = 0; index < items.length; index++) {
    const next = toWellFormedJson(items[index], depth + 1);
    if (next !== items[index] && copy === undefined) copy = items.slice(0, index) as JsonValue[];
    copy?.push(next);
  }
  return copy ?? (items as JsonValue[]);
}

function wellFormedObject(value: object, depth: number): JsonValue {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  let changed = entries.length !== Object.keys(value).length || !isPlainObject(value);
  const next = entries.map(([key, item]): [string, JsonValue] => {
    const nextKey = key.isWellFormed() ? key : key.toWellFormed();
    const nextItem = toWellFormedJson(item, depth + 1);
    if (nextKey !== key || nextItem !== item) changed = true;
    return [nextKey, nextItem];
  });
  return changed ? (Object.fromEntries(next) as JsonValue) : (value as JsonValue);
}
