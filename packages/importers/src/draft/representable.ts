import { MAX_JSON_DEPTH } from "@threadfold/core";

/** Where `toWellFormedJson` of core cuts: a thread entry adds levels of its own around a message. */
const MAX_DEPTH = MAX_JSON_DEPTH - 16;

/**
 * Says whether canonical JSON can carry a value that came out of `JSON.parse`: well-formed text, finite numbers,
 * bounded depth. It walks the value without allocating, for it looks at every message.
 */
export function isRepresentable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isRepresentable(item, depth + 1));
  for (const key in value) {
    if (!key.isWellFormed() || !isRepresentable((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}
