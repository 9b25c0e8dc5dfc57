import { sha256 } from "@threadfold/core";
import { type ForeignObject, objectOf, parseJson } from "../reading/foreign-value.ts";

/** A line of a log. */
export interface SourceLine {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly raw: string;
  /** Undefined for a line that is blank or not a JSON object. */
  readonly fields: ForeignObject | undefined;
}

/** The lines of a log, blank and broken ones included, so that it can be written again as it was. */
export function sourceLines(text: string): readonly SourceLine[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((raw, index) => {
    const parsed = parseJson(raw);
    return { line: index + 1, raw, fields: parsed.ok ? objectOf(parsed.value) : undefined };
  });
}

/** Ids for what is added to a log: equal for equal input, and taken by nothing else in it. */
export class ExportIds {
  readonly #taken: Set<string>;
  readonly #shape: (digest: string) => string;

  /** @param shape makes an id, as the tool writes them, of 64 hexadecimal digits. */
  constructor(taken: Iterable<string>, shape: (digest: string) => string) {
    this.#taken = new Set(taken);
    this.#shape = shape;
  }

  /** An id for what the key names. */
  take(key: string): string {
    for (let attempt = 0; ; attempt++) {
      const id = this.#shape(sha256(`${key}\n${attempt}`));
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }
}

/** Eight hexadecimal digits, as pi writes ids. */
export const shortHexId = (digest: string): string => digest.slice(0, 8);

/** A UUID of version 8: made from a digest. */
export const uuidOf = (digest: string): string =>
  [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
