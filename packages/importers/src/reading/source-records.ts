import type { MalformedRecord } from "../imported-session.ts";
import type { SourceText } from "./source-text.ts";

/** One record of a log: a JSON value and the line that it starts on, from 1. */
export interface SourceRecord {
  readonly line: number;
  readonly value: unknown;
  /** Where in the text it stands, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** The source as JSON: one record for each line, or a single one for a JSON document. */
export interface SourceRecords {
  readonly source: SourceText;
  readonly records: readonly SourceRecord[];
  /** Lines that are not JSON. */
  readonly malformed: readonly MalformedRecord[];
}
