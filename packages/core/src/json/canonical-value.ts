import { canonicalJson } from "./canonical-json.ts";
import { MAX_JSON_DEPTH } from "./json-value.ts";
import { isPlainObject } from "./plain-object.ts";

/**
 * The same JSON value as a log keeps it: frozen, with the keys of every object in canonical order (sorted by UTF-16 code
 * units; keys that are array indices come first, as JavaScript orders them). What is in order already is frozen in place
 * and given back as it is. What is read back from canonical JSON has this order, so a value in this order serializes the
 * same before and after it was kept.
 *
 * @throws ThreadfoldError `INVALID_JSON` for what {@link canonicalJson} refuses.
 */
export function toCanonicalValue<Value>(value: Value): Value {
  return canonical(value, value, 0) as Value;
}

function canonical(value: unknown, root: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : refuse(root);
    case "number":
      return Number.isFinite(value) ? value : refuse(root);
    case "boolean":
    case "undefined":
      return value;
    case "object":
      if (value === null) return value;
      if (depth >= MAX_JSON_DEPTH) return refuse(root);
      if (Array.isArray(value)) return canonicalArray(value, root, depth);
      return isPlainObject(value) ? canonicalObject(value as Record<string, unknown>, root, depth) : refuse(root);
    default:
      return refuse(root);
  }
}

function canonicalArray(items: readonly unknown[], root: unknown, depth: number): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    // A hole or `undefined` is no item, though it may be an absent property.
    const kept = item === undefined ? refuse(root) : canonical(item, root, depth + 1);
    if (kept !== item) (changed ??= [...items])[index] = kept;
  }
  return Object.freeze(changed ?? items);
}

function canonicalObject(value: Record<string, unknown>, root: unknown, depth: number): object {
  const keys = Object.keys(value);
  let changed: Map<string, unknown> | undefined;
  let sorted = true;
  let before = "";
  for (const key of keys) {
    const item = value[key];
    const kept = canonical(item, root, depth + 1);
    if (kept !== item) (changed ??= new Map<string, unknown>()).set(key, kept);
    if (item !== undefined && !key.isWellFormed()) refuse(root);
    if (key < before) sorted = false;
    before = key;
  }
  if (sorted && changed === undefined) return Object.freeze(value);
  const ordered = sorted ? keys : keys.sort();
  return Object.freeze(Object.fromEntries(ordered.map((key) => [key, changed?.get(key) ?? value[key]])));
}

/** Canonical JSON refuses the value too, and says where. */
function refuse(root: unknown): never {
  throw canonicalJson(root);
}
