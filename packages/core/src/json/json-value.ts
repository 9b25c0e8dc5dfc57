import { z } from "zod";

/** Any value that JSON can express. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Properties that are `undefined` count as absent. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Deeper nesting than this is refused, so that hostile input ends in a typed error and never in a stack overflow. */
export const MAX_JSON_DEPTH = 512;

/** Says whether a value is JSON as canonical JSON can carry it: finite numbers, well-formed strings, bounded depth. */
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
      return Array.isArray(value)
        ? value.every((item) => isJsonValue(item, depth + 1))
        : Object.entries(value).every(
            ([key, item]) => item === undefined || (key.isWellFormed() && isJsonValue(item, depth + 1)),
          );
    default:
      return false;
  }
}

const notJson = "expected JSON: finite numbers, well-formed text, at most 512 levels deep";

/** Accepts any value that canonical JSON can carry. */
export const jsonValueSchema = z.custom<JsonValue>((value) => isJsonValue(value), notJson);

/** Accepts any JSON object. */
export const jsonObjectSchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value) && isJsonValue(value),
  notJson,
);

/** Accepts any text without lone surrogates, which no canonical JSON can carry. */
export const textSchema = z.string().refine((text) => text.isWellFormed(), { error: "the text has a lone surrogate" });
