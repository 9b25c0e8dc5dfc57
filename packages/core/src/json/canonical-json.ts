import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { isPlainObject, MAX_JSON_DEPTH } from "./json-value.ts";
import { writtenTexts } from "./long-list.ts";

/**
 * Serializes a value as canonical JSON (RFC 8785): keys sorted by UTF-16 code units, ECMAScript number form, no white
 * space. Properties that are `undefined` are left out. Equal values yield the same bytes on every machine.
 *
 * @throws ThreadfoldError `INVALID_JSON` for NaN, infinities, lone surrogates, functions, symbols, bigints, instances
 * of classes (dates, maps, bytes), cycles and nesting deeper than {@link MAX_JSON_DEPTH}; the message names the path.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0) ?? refuseValue(value);
}

/** Placeholder for a long list until its pieces are inserted: JSON text never contains a raw control character. */
const APART = "\0";

/**
 * {@link canonicalJson} in pieces. Long lists of texts are separate pieces, serialized only once: a consumer that reads
 * piece by piece, such as a hash, need not copy them into one text.
 */
export function canonicalPieces(value: unknown): readonly string[] {
  const lists: (readonly string[])[] = [];
  const text = write(value, 0, lists) ?? refuseValue(value);
  if (lists.length === 0) return [text];
  return text.split(APART).flatMap((piece, index) => [piece, ...(lists[index] ?? [])]);
}

/**
 * Serializes a value; returns undefined when something in it cannot be expressed in JSON.
 *
 * @param apart receives the pieces of long lists, which placeholders mark in the text; without it they are inlined.
 */
function write(value: unknown, depth: number, apart?: (readonly string[])[]): string | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? JSON.stringify(value) : undefined;
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : undefined;
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth >= MAX_JSON_DEPTH) return undefined;
      return Array.isArray(value) ? writeArray(value, depth, apart) : writeObject(value, depth, apart);
    default:
      return undefined;
  }
}

const LONG_LIST = 256;

function writeArray(items: readonly unknown[], depth: number, apart?: (readonly string[])[]): string | undefined {
  const pieces = items.length < LONG_LIST ? undefined : writtenTexts(items);
  if (pieces === undefined) return writeItems(items, depth, apart);
  apart?.push(pieces);
  return `${apart === undefined ? pieces.join("") : APART}]`;
}

function writeItems(items: readonly unknown[], depth: number, apart?: (readonly string[])[]): string | undefined {
  let text = "[";
  for (let index = 0; index < items.length; index++) {
    const item = write(items[index], depth + 1, apart);
    if (item === undefined) return undefined;
    text += index > 0 ? `,${item}` : item;
  }
  return `${text}]`;
}

function writeObject(value: object, depth: number, apart?: (readonly string[])[]): string | undefined {
  if (!isPlainObject(value)) return undefined;
  const record = value as Record<string, unknown>;
  let text = "{";
  for (const key of inOrder(Object.keys(record))) {
    const item = record[key];
    if (item === undefined) continue;
    const name = writeKey(key);
    const written = write(item, depth + 1, apart);
    if (name === undefined || written === undefined) return undefined;
    if (text.length > 1) text += ",";
    text += name + written;
  }
  return `${text}}`;
}

/** More keys than this are sorted by the engine's own sort, which costs more for few keys and less for many. */
const FEW_KEYS = 24;

/** Sorts keys into canonical order, in place. The keys of most objects are already sorted, or nearly. */
function inOrder(names: string[]): readonly string[] {
  if (names.length > FEW_KEYS) return names.sort();
  for (let index = 1; index < names.length; index++) {
    const name = names[index] as string;
    let place = index;
    for (; place > 0 && (names[place - 1] as string) > name; place--) names[place] = names[place - 1] as string;
    names[place] = name;
  }
  return names;
}

/** Keys in serialized form, cached because they repeat from object to object. */
const keys = new Map<string, string>();
const MOST_KEYS = 4_096;
/** In UTF-16 code units. Longer keys are assumed to be data and are not cached. */
const LONGEST_KEY = 64;

function writeKey(key: string): string | undefined {
  const known = keys.get(key);
  if (known !== undefined) return known;
  if (!key.isWellFormed()) return undefined;
  const written = `${JSON.stringify(key)}:`;
  if (key.length <= LONGEST_KEY && keys.size < MOST_KEYS) keys.set(key, written);
  return written;
}

/** Throws an error that says which part of a value JSON cannot express, and where it is. */
function refuseValue(value: unknown): never {
  const found = refused(value, [], 0);
  if (found === null) throw new TypeError("The value has a canonical form.");
  const steps = found.path.slice(0, 12).map((step) => String(step).toWellFormed());
  const where = found.path.length === 0 ? "the top level" : steps.join(".");
  throw new ThreadfoldError("INVALID_JSON", `Canonical JSON cannot express ${found.what} at ${where}.`, {
    details: { path: steps, found: found.what },
  });
}

interface Refused {
  readonly what: string;
  readonly path: readonly (string | number)[];
}

function refused(value: unknown, path: readonly (string | number)[], depth: number): Refused | null {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? null : { what: "a lone surrogate", path };
    case "number":
      return Number.isFinite(value) ? null : { what: `the number ${value}`, path };
    case "boolean":
      return null;
    case "object":
      if (value === null) return null;
      if (depth >= MAX_JSON_DEPTH) return { what: `nesting deeper than ${MAX_JSON_DEPTH} levels`, path };
      if (!Array.isArray(value) && !isPlainObject(value)) return { what: "an instance of a class", path };
      return refusedIn(value, path, depth);
    default:
      return { what: value === undefined ? "undefined" : `a ${typeof value}`, path };
  }
}

function refusedIn(value: object, path: readonly (string | number)[], depth: number): Refused | null {
  const items: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? Array.from(value, (item, index) => [index, item])
    : Object.entries(value).filter(([, item]) => item !== undefined);
  for (const [key, item] of items) {
    const within = [...path, key];
    const found = refused(key, within, depth) ?? refused(item, within, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Returns the same JSON value as a log keeps it: frozen, with the keys of every object in canonical order (sorted by
 * UTF-16 code units; keys that are array indices come first, as JavaScript orders them). Anything already in order is
 * frozen in place and returned unchanged. A value read back from canonical JSON has this order, so it serializes the
 * same before and after it was stored.
 *
 * @throws ThreadfoldError `INVALID_JSON` for any value that {@link canonicalJson} refuses.
 */
export function toCanonicalValue<Value>(value: Value): Value {
  return canonicalForm(value).value;
}

/** A value as a log keeps it, and whether it needs special serialization. */
export interface CanonicalForm<Value> {
  readonly value: Value;
  /**
   * True when `JSON.stringify` returns the canonical JSON of the value: always, except for objects with keys that are
   * array indices, which JavaScript orders numerically.
   */
  readonly stringifies: boolean;
}

/** The same as {@link toCanonicalValue}, and whether `JSON.stringify` is enough to serialize the value. */
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
    // A hole or `undefined` is not an item, though it may be an absent property.
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
  // Indices come first in every object, so checking the first key is enough.
  if (isIndex(keys[0])) walk.stringifies = false;
  if (sorted && changed === undefined) return Object.freeze(value);
  const copy: Record<string, unknown> = {};
  for (const key of sorted ? keys : inOrder(keys)) {
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
