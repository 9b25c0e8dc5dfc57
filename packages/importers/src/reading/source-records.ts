import { EventLoopTurns, type Steps, ThreadfoldError } from "@threadfold/core";
import { parseJson } from "./foreign-value.ts";
import type { SourceText } from "./source-text.ts";

/** A position in the source. */
export interface SourcePointer {
  /** Line of the record, from 1. For a JSON document, the line that it starts on. */
  readonly line: number;
  /** JSON Pointer (RFC 6901) into the record, when it contains many messages. */
  readonly path?: string;
}

/** A record that could not be read. It was skipped, but the source text still has it. */
export interface MalformedRecord extends SourcePointer {
  readonly problem: string;
  /** The start of the record, at most 120 UTF-16 code units. */
  readonly excerpt?: string;
}

/** One record of a log: a JSON value and the line that it starts on, from 1. */
export interface SourceRecord {
  readonly line: number;
  readonly value: unknown;
  /** Its position in the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** The source as JSON: one record per line, or a single one for a JSON document. */
export interface SourceRecords {
  readonly source: SourceText;
  readonly records: readonly SourceRecord[];
  /** Lines that are not JSON. */
  readonly malformed: readonly MalformedRecord[];
}

/** The first line of logs that are plain text instead of JSON. In these, every line is a record. */
const TEXT_LOG = /^\s*# aider chat started at \d/;

/** How much of a malformed line is kept as an excerpt, in UTF-16 code units. */
const EXCERPT_LENGTH = 120;

/**
 * Parses the source: line by line, or as one JSON document when the first line alone is not JSON but the whole is. A
 * line that is not JSON is reported and skipped, except in a text log, where each line is a record; blank lines are
 * ignored.
 *
 * @throws ThreadfoldError `SOURCE_TOO_LARGE` for a line above the limit, `ABORTED`.
 */
export async function readRecords(source: SourceText, maxLineLength: number, pace: Pace): Promise<SourceRecords> {
  const records: SourceRecord[] = [];
  const malformed: MalformedRecord[] = [];
  const isText = TEXT_LOG.test(source.text);
  for (const { line, start, end } of linesOf(source.text)) {
    if (end - start > maxLineLength) throw lineTooLong(line, maxLineLength);
    const raw = source.text.slice(start, end);
    const parsed = isText ? textLine(raw) : parseJson(raw);
    if (parsed.ok) records.push({ line, value: parsed.value, start, end });
    else if (/\S/.test(raw)) {
      const document = records.length + malformed.length === 0 ? readDocument(source.text, line, start) : undefined;
      if (document !== undefined) return { source, records: [document], malformed };
      malformed.push({ line, problem: parsed.problem, excerpt: excerptOf(raw) });
    }
    if (pace.isDue(end)) await pace.pause(end, source.text.length, source.bytes);
  }
  return { source, records, malformed };
}

/** Reads a line of a text log as a record; a blank line is not one. */
const textLine = (raw: string): ReturnType<typeof parseJson> =>
  /\S/.test(raw) ? { ok: true, value: raw.replace(/\r$/, "") } : { ok: false, problem: "it is blank" };

/** Reads a pretty-printed document: its first line alone is not JSON, but the whole text is. */
function readDocument(text: string, line: number, start: number): SourceRecord | undefined {
  const whole = parseJson(text);
  return whole.ok ? { line, value: whole.value, start, end: text.length } : undefined;
}

function* linesOf(text: string): Iterable<{ readonly line: number; readonly start: number; readonly end: number }> {
  for (let start = 0, line = 1; start < text.length; line++) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    if (end > start) yield { line, start, end };
    start = end + 1;
  }
}

const excerptOf = (raw: string): string => raw.slice(0, EXCERPT_LENGTH).toWellFormed();

function lineTooLong(line: number, maxLineLength: number): ThreadfoldError {
  return new ThreadfoldError("SOURCE_TOO_LARGE", `Line ${line} is longer than ${maxLineLength} characters.`, {
    details: { line, limit: "maxLineLength", maxLineLength },
  });
}

/** The progress of an import, in bytes of the decompressed source. */
export interface ImportProgress {
  readonly bytes: number;
  readonly total: number;
}

/** Maximum number of UTF-16 code units read between two reports. */
const STRIDE = 512 * 1024;

/** Periodically yields to the event loop, reports progress and checks for an abort. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: ImportProgress) => void) | undefined;
  readonly #turns = new EventLoopTurns();
  #next = STRIDE;

  constructor(signal: AbortSignal | undefined, onProgress: ((progress: ImportProgress) => void) | undefined) {
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /** Checks whether a pause is due. */
  isDue(position: number): boolean {
    return position >= this.#next || this.#turns.isDue;
  }

  /** Reports progress, yields and checks for an abort. @throws ThreadfoldError `ABORTED`. */
  async pause(position: number, length: number, totalBytes: number): Promise<void> {
    this.#next = position + STRIDE;
    this.report(Math.floor((position / length) * totalBytes), totalBytes);
    await this.#turns.turn();
    this.check();
  }

  /** Runs work step by step, with pauses. @throws ThreadfoldError `ABORTED`; what the work throws. */
  async finish<Result>(steps: Steps<Result>): Promise<Result> {
    try {
      return await this.#turns.finish(steps, this.#signal);
    } catch (error) {
      if (error === this.#signal?.reason) this.check();
      throw error;
    }
  }

  /** Checks for an abort. @throws ThreadfoldError `ABORTED`. */
  check(): void {
    if (this.#signal?.aborted) {
      throw new ThreadfoldError("ABORTED", "The import was aborted.", { cause: this.#signal.reason });
    }
  }

  report(bytes: number, total: number): void {
    this.#onProgress?.({ bytes, total });
  }
}
