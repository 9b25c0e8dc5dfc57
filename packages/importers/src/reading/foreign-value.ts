import { parseJson as parseEveryKey } from "@threadfold/core";

/** An object that another program wrote: every field may be missing or of the wrong type. */
export type ForeignObject = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): ForeignObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ForeignObject) : undefined;

export const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** Returns the objects in a list. */
export const objectsOf = (value: unknown): readonly ForeignObject[] =>
  (listOf(value) ?? []).map(objectOf).filter((fields) => fields !== undefined);

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Returns the text; undefined when it is missing or empty. */
export const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Returns a token count: a finite number that is not negative. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && Number.isFinite(value) ? value : undefined;

/** Returns a copy of the object without undefined properties. */
export function withoutUndefined<Value extends object>(value: Value): Value {
  const kept: Partial<Value> = {};
  for (const key in value) if (value[key] !== undefined) kept[key] = value[key];
  return kept as Value;
}

/**
 * Maximum nesting that is parsed at all: a parser needs memory for each level. Levels beyond what core can store are
 * cut afterwards, with a warning.
 */
const MAX_PARSED_DEPTH = 1_000_000;

/** The value of a JSON text, or the reason that it cannot be parsed. */
type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Parses a JSON text. It never throws: text that is not JSON or is nested too deeply is returned as a problem. */
export function parseJson(text: string): ParsedJson {
  // A shorter text cannot open that many brackets, so ordinary lines skip the check.
  if (text.length > MAX_PARSED_DEPTH && nestsDeeperThan(text, MAX_PARSED_DEPTH)) {
    return { ok: false, problem: `nested deeper than ${MAX_PARSED_DEPTH} levels` };
  }
  try {
    return { ok: true, value: parseEveryKey(text) };
  } catch (error) {
    return { ok: false, problem: `not JSON: ${(error as Error).message.toWellFormed()}` };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Checks whether a JSON text has more than `limit` brackets open at once, without parsing it. Parsing takes memory for
 * every level, so hostile input is rejected here. Strings are skipped by search, so this is far cheaper than parsing.
 */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      if (index === -1) return false;
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      if (++depth > limit) return true;
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth--;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?$/i;

/** Epoch times up to this value are in seconds, larger ones in milliseconds. */
const LATEST_IN_SECONDS = 1e11;

/** The latest time that a Date can represent, in milliseconds since the epoch. */
const LATEST = 8.64e15;

/**
 * Reads a time that another program wrote: ISO 8601 text, or seconds or milliseconds since the epoch. Text without a
 * time zone is read as UTC, so that the result never depends on the machine.
 *
 * @returns ISO 8601 in UTC with milliseconds, or undefined when it is not a time.
 */
export function utcTime(value: unknown): string | undefined {
  if (typeof value === "string") return isCanonical(value) ? value : toIso(epochOfText(value));
  if (typeof value === "number") return toIso(value > LATEST_IN_SECONDS ? value : value * 1000);
  return undefined;
}

/** Returns the time one millisecond later. */
export const millisecondAfter = (time: string): string => toIso(Date.parse(time) + 1) ?? time;

/** The form that nearly every log uses needs no conversion. */
function isCanonical(text: string): boolean {
  return (
    text.length === 24 &&
    text[4] === "-" &&
    text[10] === "T" &&
    text[19] === "." &&
    text[23] === "Z" &&
    Date.parse(text) >= 0
  );
}

function epochOfText(text: string): number {
  const match = ISO_TIME.exec(text);
  return match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[3] ?? "Z"}`);
}

function toIso(time: number): string | undefined {
  return time >= 0 && time < LATEST ? new Date(Math.floor(time)).toISOString() : undefined;
}
