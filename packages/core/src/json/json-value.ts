import { isWrittenOnce } from "./long-list.ts";
import * as z from "./schema.ts";

/** Any value that JSON can express. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Properties that are `undefined` count as absent. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Deeper nesting than this is refused, so that hostile input ends in a typed error and never in a stack overflow. */
export const MAX_JSON_DEPTH = 512;

/** How deep a value inside a message or summary may nest; the remaining depth is for what is wrapped around it. */
export const MAX_VALUE_DEPTH = MAX_JSON_DEPTH - 16;

/**
 * Checks whether canonical JSON can express a value: finite numbers, well-formed strings, no holes, plain objects,
 * bounded depth.
 *
 * @param depth the number of levels around the value.
 */
export function isJsonValue(value: unknown, depth = 0): value is JsonValue {
  switch (typeof value) {
    case "string":
      return value.isWellFormed();
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return true;
    case "object":
      if (value === null) return true;
      if (depth >= MAX_JSON_DEPTH) return false;
      return Array.isArray(value) ? isJsonArray(value, depth) : isPlainObject(value) && isJsonRecord(value, depth);
    default:
      return false;
  }
}

function isJsonArray(items: readonly unknown[], depth: number): boolean {
  // Not `every`, which skips holes.
  for (let index = 0; index < items.length; index++) if (!isJsonValue(items[index], depth + 1)) return false;
  return true;
}

function isJsonRecord(value: object, depth: number): boolean {
  return Object.entries(value).every(
    ([key, item]) => item === undefined || (key.isWellFormed() && isJsonValue(item, depth + 1)),
  );
}

const isInnerValue = (value: unknown): boolean => isJsonValue(value, MAX_JSON_DEPTH - MAX_VALUE_DEPTH);
const notJson = `expected JSON: finite numbers, well-formed text, plain objects, at most ${MAX_VALUE_DEPTH} levels deep`;

/** Accepts any value that canonical JSON can express inside a message or summary. */
export const jsonValueSchema = z.custom<JsonValue>(isInnerValue, notJson);

/** Accepts any JSON object. */
export const jsonObjectSchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value) && isInnerValue(value),
  notJson,
);

/** Accepts any text without lone surrogates, which canonical JSON cannot express. */
export const textSchema = z.string().refine((text) => text.isWellFormed(), { error: "the text has a lone surrogate" });

/**
 * Checks for objects that JSON can express: literals, parsed objects and objects without a prototype, of any realm.
 * False for arrays and for instances of classes such as dates and maps, whose own properties are not their value.
 */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (!Array.isArray(value) && Object.getPrototypeOf(prototype) === null)
  );
}

/**
 * Returns the value in a form that canonical JSON can express inside a message: lone surrogates become U+FFFD, numbers
 * that are not finite become null, anything deeper than the depth limit becomes a marker string, and an instance of a
 * class is reduced to its own properties. Well-formed values are returned unchanged, at the cost of one walk and no
 * copy. Importers apply it to foreign data before it enters a thread.
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
  // Not `forEach`, which skips holes.
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

/** Freezes a JSON value and everything in it, and returns it. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  Object.freeze(value);
  if (Array.isArray(value) && isWrittenOnce(value)) return value;
  // A list may name a million messages, so it is walked and not copied.
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (let index = 0; index < items.length; index++) if (typeof items[index] === "object") freezeDeep(items[index]);
  return value;
}
