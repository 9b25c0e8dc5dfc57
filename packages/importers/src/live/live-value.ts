import { ThreadfoldError } from "@threadfold/core";
import type { SourcePointer } from "../reading/source-records.ts";

/** The formats in which hosts keep an ongoing conversation: the SDKs' own messages and items. */
export const LIVE_FORMATS = ["ai-sdk", "anthropic-messages", "openai-chat", "openai-responses", "gemini"] as const;

export type LiveFormat = (typeof LIVE_FORMATS)[number];

/** One message or item of a live conversation, as a JSON value. */
export interface LiveValue {
  readonly value: unknown;
  /** The id for a message made from it: its own, or one derived from its position. */
  readonly id: string;
  readonly at: SourcePointer;
}

/** Maximum depth of conversion; deeper values are passed on unchanged. */
const MAX_DEPTH = 200;

/**
 * Converts a value of a live conversation to JSON: URLs and dates become text, bytes become Base64, and undefined
 * fields are left out. A value that already is JSON is returned as the same object.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for a value that contains itself.
 */
export const wireValue = (value: unknown): unknown => convert(value, new Set());

function convert(value: unknown, around: Set<object>): unknown {
  if (isNothing(value)) return undefined;
  if (typeof value !== "object" || value === null || around.size > MAX_DEPTH) return value;
  if (value instanceof URL) return value.href;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return base64Of(value);
  if (value instanceof ArrayBuffer) return base64Of(new Uint8Array(value));
  if (around.has(value))
    throw new ThreadfoldError("INVALID_MESSAGE", "A message contains itself and cannot be represented as JSON.");
  around.add(value);
  const converted = Array.isArray(value) ? convertList(value, around) : convertObject(value, around);
  around.delete(value);
  return converted;
}

function convertList(list: readonly unknown[], around: Set<object>): readonly unknown[] {
  const converted = list.map((item) => convert(item, around) ?? null);
  return converted.every((item, index) => item === list[index]) ? list : converted;
}

function convertObject(value: object, around: Set<object>): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return convert(toJSON.call(value), around);
  let isSame = true;
  const entries = Object.entries(value).flatMap(([key, field]) => {
    const converted = convert(field, around);
    if (converted === undefined || converted !== field) isSame = false;
    return converted === undefined ? [] : [[key, converted] as const];
  });
  // `fromEntries` defines a field that is called `__proto__`; assigning it would not.
  return isSame ? value : Object.fromEntries(entries);
}

const isNothing = (value: unknown): boolean =>
  value === undefined || typeof value === "function" || typeof value === "symbol";

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}
