import { databaseBytesLines, databaseLines, isDatabase, isDatabaseFile } from "../reading/database-source.ts";
import { type ImportProgress, Pace } from "../reading/pace.ts";
import { readRecords } from "../reading/source-records.ts";
import { collectBytes, decodeSource, decompress, readSourceFile } from "../reading/source-text.ts";
import type { ImportedSession } from "../session/imported-session.ts";
import { mapRecords, type SourceChoice } from "./map-records.ts";

/** Options for importing a session. */
export interface ImportOptions extends SourceChoice {
  /** Maximum input sizes. 512 MiB, and lines of 64 Mi characters, by default. */
  readonly limits?: Partial<ImportLimits>;
  /** Aborts the import with `ABORTED`. */
  readonly signal?: AbortSignal;
  /** Called periodically with the progress, and once at the end. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

/**
 * Imports a session log that another tool wrote, gzipped or plain. For a SQLite database, the rows of its conversations
 * are read as JSON lines, and those lines then count as the log.
 *
 * The import is total: a record that cannot be read is reported in `malformed` and skipped, and the rest is imported.
 * It is lossless: `source.text` is the whole log, and every message points to its record there. Equal bytes give an
 * equal session.
 *
 * @throws ThreadfoldError `EMPTY_SOURCE` when there is no message, `UNKNOWN_FORMAT`, `WRONG_FORMAT`, `CORRUPT_ARCHIVE`,
 *   `SOURCE_TOO_LARGE`, `INVALID_CONFIG` for a thread that the source does not have, `ABORTED`.
 */
export async function importSession(bytes: Uint8Array, options: ImportOptions = {}): Promise<ImportedSession> {
  const limits = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  const pace = new Pace(options.signal, options.onProgress);
  pace.check();
  const plain = await decompress(bytes, limits.maxBytes);
  const source = decodeSource(isDatabase(plain) ? await databaseBytesLines(plain, limits.maxBytes) : plain);
  pace.check();
  const records = await readRecords(source, limits.maxLineLength, pace);
  const session = await pace.finish(mapRecords(records, options));
  pace.report(source.bytes, source.bytes);
  return session;
}

/**
 * Imports a session log from a file; see {@link importSession}. A SQLite database is read in place, including its
 * program's latest writes.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE`, and what {@link importSession} throws.
 */
export async function importSessionFile(path: string, options: ImportOptions = {}): Promise<ImportedSession> {
  const { maxBytes } = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  const bytes = (await isDatabaseFile(path))
    ? await databaseLines(path, maxBytes)
    : await readSourceFile(path, maxBytes, options.signal);
  return importSession(bytes, options);
}

/**
 * Imports a session log from a stream, such as standard input, reading to its end; see {@link importSession}.
 *
 * @throws ThreadfoldError what {@link importSession} throws; what the stream throws, unless the import was aborted.
 */
export async function importSessionStream(
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportedSession> {
  const { maxBytes } = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  return importSession(await collectBytes(chunks, maxBytes), options);
}

/** Maximum sizes that an import accepts; larger input is refused with `SOURCE_TOO_LARGE`. */
export interface ImportLimits {
  /** Bytes of the source after decompression. Values above the host's maximum string length have no effect. */
  readonly maxBytes: number;
  /** UTF-16 code units in one line, or in a JSON document that is on one line. */
  readonly maxLineLength: number;
}

export const DEFAULT_IMPORT_LIMITS: ImportLimits = Object.freeze({
  maxBytes: 512 * 1024 * 1024,
  maxLineLength: 64 * 1024 * 1024,
});
