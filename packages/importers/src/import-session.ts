import type { ImportedSession, ImportFormat } from "./imported-session.ts";
import { mapRecords } from "./map-records.ts";
import { collectBytes } from "./reading/collect-bytes.ts";
import { decompress } from "./reading/decompress.ts";
import { DEFAULT_IMPORT_LIMITS, type ImportLimits } from "./reading/import-limits.ts";
import { type ImportProgress, Pace } from "./reading/pace.ts";
import { readRecords } from "./reading/read-records.ts";
import { readSourceFile } from "./reading/read-source-file.ts";
import { decodeSource } from "./reading/source-text.ts";

export interface ImportOptions {
  /** The format of the source; detected by default. */
  readonly format?: ImportFormat | "auto";
  /**
   * Which thread of a source that holds several: its place, from 1, or its name, as the warning `more-threads` lists
   * them. The first by default.
   */
  readonly thread?: number | string;
  readonly limits?: Partial<ImportLimits>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/**
 * Reads a session log that another tool wrote, gzip or plain.
 *
 * It is total: a record that cannot be read is reported in `malformed` and skipped, and the rest is imported. It is
 * lossless: `source.text` is the whole log, and every message points to its record there. Equal bytes give an equal
 * session.
 *
 * @throws ThreadfoldError `EMPTY_SOURCE` without a single message, `UNKNOWN_FORMAT`, `WRONG_FORMAT`,
 * `CORRUPT_ARCHIVE`, `SOURCE_TOO_LARGE`, `INVALID_CONFIG` for a thread that the source does not have, `ABORTED`.
 */
export async function importSession(bytes: Uint8Array, options: ImportOptions = {}): Promise<ImportedSession> {
  const limits = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  const pace = new Pace(options.signal, options.onProgress);
  pace.check();
  const source = decodeSource(await decompress(bytes, limits.maxBytes));
  pace.check();
  const records = await readRecords(source, limits.maxLineLength, pace);
  const session = mapRecords(records, options.format ?? "auto", options.thread ?? 1);
  pace.report(source.bytes, source.bytes);
  return session;
}

/**
 * Reads a session log from a file; see {@link importSession}.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE`, and what {@link importSession} throws.
 */
export async function importSessionFile(path: string, options: ImportOptions = {}): Promise<ImportedSession> {
  const { maxBytes } = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  return importSession(await readSourceFile(path, maxBytes, options.signal), options);
}

/**
 * Reads a session log from a stream, such as standard input, to its end; see {@link importSession}.
 *
 * @throws ThreadfoldError what {@link importSession} throws; what the stream throws when nobody aborted it.
 */
export async function importSessionStream(
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportedSession> {
  const { maxBytes } = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  return importSession(await collectBytes(chunks, maxBytes), options);
}
