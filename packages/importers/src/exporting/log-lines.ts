import { sha256 } from "@threadfold/core";
import { type ForeignObject, objectOf, parseJson } from "../reading/foreign-value.ts";

/** A line of a log. */
export interface SourceLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly raw: string;
  /** Undefined for a line that is blank or not a JSON object. */
  readonly fields: ForeignObject | undefined;
}

/** Returns the lines of a log, including blank and broken ones, so that it can be written back unchanged. */
export function sourceLines(text: string): readonly SourceLine[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((raw, index) => {
    const parsed = parseJson(raw);
    return { line: index + 1, raw, fields: parsed.ok ? objectOf(parsed.value) : undefined };
  });
}

/** Makes ids for entries added to a log: equal for equal input, and unique within the log. */
export class ExportIds {
  readonly #taken: Set<string>;
  readonly #shape: (digest: string) => string;

  /** @param shape turns 64 hexadecimal digits into an id in the tool's form. */
  constructor(taken: Iterable<string>, shape: (digest: string) => string) {
    this.#taken = new Set(taken);
    this.#shape = shape;
  }

  /** Returns an unused id for a key. */
  take(key: string): string {
    for (let attempt = 0; ; attempt++) {
      const id = this.#shape(sha256(`${key}\n${attempt}`));
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }
}

/** Returns the first eight hexadecimal digits, pi's form of ids. */
export const shortHexId = (digest: string): string => digest.slice(0, 8);

/** Returns a version 8 UUID made from a digest. */
export const uuidOf = (digest: string): string =>
  [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
