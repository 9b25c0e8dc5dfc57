import { z } from "zod";
import { isPlainObject } from "./plain-object.ts";

/** Any value that JSON can express. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Properties that are `undefined` count as absent. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Deeper nesting than this is refused, so that hostile input ends in a typed error and never in a stack overflow. */
export const MAX_JSON_DEPTH = 512;

/** A value inside a message or summary may nest so deep; the rest of the depth is for what is put around it. */
export const MAX_VALUE_DEPTH = MAX_JSON_DEPTH - 16;

/**
 * Says whether a value is JSON as canonical JSON can carry it: finite numbers, well-formed strings, no holes, plain
 * objects, bounded depth.
 *
 * @param depth how many levels are around the value.
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
  // Not `every`, which passes over holes.
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

/** Accepts any value that canonical JSON can carry inside a message or summary. */
export const jsonValueSchema = z.custom<JsonValue>(isInnerValue, notJson);

/** Accepts any JSON object. */
export const jsonObjectSchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value) && isInnerValue(value),
  notJson,
);

/** Accepts any text without lone surrogates, which no canonical JSON can carry. */
export const textSchema = z.string().refine((text) => text.isWellFormed(), { error: "the text has a lone surrogate" });
