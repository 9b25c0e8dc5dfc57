import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { isPlainObject, MAX_JSON_DEPTH } from "./json-value.ts";

/**
 * Serializes a value as canonical JSON (RFC 8785): keys sorted by UTF-16 code units, ECMAScript number form, no white
 * space. Properties that are `undefined` are left out. Two equal values give the same bytes on every machine.
 *
 * @throws ThreadfoldError `INVALID_JSON` for NaN, infinities, lone surrogates, functions, symbols, bigints, instances of
 * classes (dates, maps, bytes), cycles and nesting deeper than {@link MAX_JSON_DEPTH}; the message names the path.
 */
export function canonicalJson(value: unknown): string {
  return write(value, [], 0);
}

function write(value: unknown, path: (string | number)[], depth: number): string {
  switch (typeof value) {
    case "string":
      return writeString(value, path);
    case "number":
      if (!Number.isFinite(value)) throw refuse(`the number ${value}`, path);
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth >= MAX_JSON_DEPTH) throw refuse(`nesting deeper than ${MAX_JSON_DEPTH} levels`, path);
      return Array.isArray(value) ? writeArray(value, path, depth) : writeObject(value, path, depth);
    default:
      throw refuse(`a ${typeof value}`, path);
  }
}

function writeString(text: string, path: readonly (string | number)[]): string {
  if (!text.isWellFormed()) throw refuse("a lone surrogate", path);
  return JSON.stringify(text);
}

function writeArray(items: readonly unknown[], path: (string | number)[], depth: number): string {
  let text = "[";
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ",";
    path.push(index);
    text += write(items[index], path, depth + 1);
    path.pop();
  }
  return `${text}]`;
}

function writeObject(value: object, path: (string | number)[], depth: number): string {
  if (!isPlainObject(value)) throw refuse("an instance of a class", path);
  const record = value as Record<string, unknown>;
  let text = "{";
  for (const key of Object.keys(record).sort()) {
    const item = record[key];
    if (item === undefined) continue;
    if (text.length > 1) text += ",";
    path.push(key);
    text += `${writeString(key, path)}:${write(item, path, depth + 1)}`;
    path.pop();
  }
  return `${text}}`;
}

function refuse(what: string, path: readonly (string | number)[]): ThreadfoldError {
  const steps = path.slice(0, 12).map((step) => String(step).toWellFormed());
  const where = path.length === 0 ? "the top level" : steps.join(".");
  return new ThreadfoldError("INVALID_JSON", `Canonical JSON cannot express ${what} at ${where}.`, {
    details: { path: steps, found: what },
  });
}

/**
 * The same JSON value as a log keeps it: frozen, with the keys of every object in canonical order (sorted by UTF-16 code
 * units; keys that are array indices come first, as JavaScript orders them). What is in order already is frozen in place
 * and given back as it is. What is read back from canonical JSON has this order, so a value in this order serializes the
 * same before and after it was kept.
 *
 * @throws ThreadfoldError `INVALID_JSON` for what {@link canonicalJson} refuses.
 */
export function toCanonicalValue<Value>(value: Value): Value {
  return canonicalForm(value).value;
}

/** A value as a log keeps it, and what is known of how it serializes. */
export interface CanonicalForm<Value> {
  readonly value: Value;
  /**
   * True when `JSON.stringify` gives the canonical JSON of the value: always, but for objects with keys that are array
   * indices, which JavaScript orders by number.
   */
  readonly stringifies: boolean;
}

/** The same as {@link toCanonicalValue}, and whether the value needs no more than `JSON.stringify`. */
export function canonicalForm<Value>(value: Value): CanonicalForm<Value> {
  const walk: Walk = { root: value, stringifies: true };
  return { value: canonical(value, walk, 0) as Value, stringifies: walk.stringifies };
}

interface Walk {
  readonly root: unknown;
  stringifies: boolean;
}

function canonical(value: unknown, walk: Walk, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : refuseValue(walk.root);
    case "number":
      return Number.isFinite(value) ? value : refuseValue(walk.root);
    case "boolean":
    case "undefined":
      return value;
    case "object":
      if (value === null) return value;
      if (depth >= MAX_JSON_DEPTH) return refuseValue(walk.root);
      if (Array.isArray(value)) return canonicalArray(value, walk, depth);
      return isPlainObject(value)
        ? canonicalObject(value as Record<string, unknown>, walk, depth)
        : refuseValue(walk.root);
    default:
      return refuseValue(walk.root);
  }
}

function canonicalArray(items: readonly unknown[], walk: Walk, depth: number): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    // A hole or `undefined` is no item, though it may be an absent property.
    const kept = item === undefined ? refuseValue(walk.root) : canonical(item, walk, depth + 1);
    if (kept !== item) (changed ??= [...items])[index] = kept;
  }
  return Object.freeze(changed ?? items);
}

function canonicalObject(value: Record<string, unknown>, walk: Walk, depth: number): object {
  const keys = Object.keys(value);
  let changed: Map<string, unknown> | undefined;
  let sorted = true;
  let before = "";
  for (const key of keys) {
    const item = value[key];
    const kept = canonical(item, walk, depth + 1);
    if (kept !== item) (changed ??= new Map<string, unknown>()).set(key, kept);
    if (item !== undefined && !key.isWellFormed()) refuseValue(walk.root);
    if (key < before) sorted = false;
    before = key;
  }
  // Indices come first in every object, so that looking at the first key is enough.
  if (isIndex(keys[0])) walk.stringifies = false;
  if (sorted && changed === undefined) return Object.freeze(value);
  const copy: Record<string, unknown> = {};
  for (const key of sorted ? keys : keys.sort()) {
    const item = changed?.get(key) ?? value[key];
    // Assigning to this one key would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true });
    else copy[key] = item;
  }
  return Object.freeze(copy);
}

function isIndex(key: string | undefined): boolean {
  const first = key?.charCodeAt(0) ?? 0;
  return first >= 0x30 && first <= 0x39;
}

/** Canonical JSON refuses the value too, and says where. */
function refuseValue(root: unknown): never {
  throw canonicalJson(root);
}
