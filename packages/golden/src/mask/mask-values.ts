import type { JsonObject, JsonValue } from "@threadfold/core";
import type { TextMask } from "./text-mask.ts";

/** Masks the texts inside a JSON value. Keys stay: they are the shape of the value. */
export function maskJson(value: JsonValue, text: TextMask): JsonValue {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskJson(item, text));
  return typeof value === "object" && value !== null ? maskFields(value as JsonObject, text) : value;
}

/** Masks the texts inside an object's fields. */
export const maskFields = (value: JsonObject, text: TextMask): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskJson(item as JsonValue, text)]));

/** Names of fields that hold an id, in the spelling of every provider. */
const ID_FIELD = /^(?:id|.*_id|.*Id)$/;

/**
 * Masks the ids inside what a provider said or wants back byte for byte. Nothing else of it is touched: signatures and
 * encrypted content would be broken.
 */
export function maskIdFields(value: JsonValue, id: (value: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskIdFields(item, id));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [
      key,
      typeof item === "string" && ID_FIELD.test(key) ? id(item) : maskIdFields(item as JsonValue, id),
    ]),
  );
}
