import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { MAX_JSON_DEPTH } from "./json-value.ts";
import { isPlainObject } from "./plain-object.ts";

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
