import {
  checkArgument,
  checkOptions,
  hasMember,
  type OptionKinds,
  refuseArgument,
  ThreadfoldError,
} from "@threadfold/core";
import { claudeCodeExporter } from "../claude-code/claude-code-exporter.ts";
import type { ExportedSession, ExportFormat, SessionExport, SessionExporter } from "../exporting/session-exporter.ts";
import { piExporter } from "../pi/pi-exporter.ts";
import type { ImportedSession } from "../session/imported-session.ts";
import type { ImportLimits, ImportOptions } from "./read-session.ts";

/**
 * Imports a session log that another tool wrote, gzipped or plain. For a SQLite database, the rows of its conversations
 * are read as JSON lines, and those lines then count as the log.
 *
 * The import is total: a record that cannot be read is reported in `malformed` and skipped, and the rest is imported.
 * It is lossless: `source.text` is the whole log, and every message points to its record there. Equal bytes give an
 * equal session.
 *
 * @throws ThreadfoldError `EMPTY_SOURCE` when there is no message, `UNKNOWN_FORMAT`, `WRONG_FORMAT`, `CORRUPT_ARCHIVE`,
 *   `SOURCE_TOO_LARGE`, `INVALID_CONFIG` for an unknown option or a thread that the source does not have,
 *   `ABORTED`.
 */
export async function importSession(bytes: Uint8Array, options: ImportOptions = {}): Promise<ImportedSession> {
  const limits = limitsOf(options);
  if (!ArrayBuffer.isView(bytes))
    refuseArgument(
      "bytes",
      "it has to be the bytes of a session log.",
      "To read a file, call importSessionFile(path).",
    );
  const { readSession } = await readers();
  return readSession(bytes, limits, options);
}

/**
 * Imports a session log from a file; see {@link importSession}. A SQLite database is read in place, including its
 * program's latest writes.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE`, and what {@link importSession} throws.
 */
export async function importSessionFile(path: string, options: ImportOptions = {}): Promise<ImportedSession> {
  const limits = limitsOf(options);
  checkArgument("path", path, "name");
  const { readSessionFile } = await readers();
  return readSessionFile(path, limits, options);
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
  const limits = limitsOf(options);
  if (!hasMember(chunks, Symbol.asyncIterator))
    refuseArgument(
      "chunks",
      "it has to be a stream of bytes.",
      "Pass a stream such as process.stdin, or call importSession(bytes).",
    );
  const { readSessionStream } = await readers();
  return readSessionStream(chunks, limits, options);
}

/** Loaded with the first import: the readers of all formats are a tenth of the library. */
const readers = () => import("./read-session.ts");

/** @throws ThreadfoldError `INVALID_CONFIG` for an option that there is not, or that makes no sense. */
function limitsOf(options: ImportOptions): ImportLimits {
  checkOptions("options", options, IMPORT_OPTIONS);
  if (options.limits !== undefined) checkOptions("limits", options.limits, LIMITS);
  return { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
}

const IMPORT_OPTIONS: OptionKinds<ImportOptions> = {
  ...{ format: "text", thread: "any", importers: "list", limits: "object", signal: "signal", onProgress: "call" },
};
const LIMITS: OptionKinds<ImportLimits> = { maxBytes: "figure", maxLineLength: "figure" };

export const DEFAULT_IMPORT_LIMITS: ImportLimits = Object.freeze({
  maxBytes: 512 * 1024 * 1024,
  maxLineLength: 64 * 1024 * 1024,
});

/** Every exporter, one for each format that can be exported. */
export const EXPORTERS: readonly SessionExporter[] = Object.freeze([piExporter, claudeCodeExporter]);

/**
 * Exports a folded thread as another tool's session file, so that the tool continues with what the plan shows. The log
 * is only appended to: what was folded away is still in it.
 *
 * @throws ThreadfoldError `UNKNOWN_FORMAT`; `WRONG_FORMAT` when the source is not in the export format, or
 *   `SOURCE_TOO_LARGE` when a line of it is nested too deeply to be written again.
 */
export function exportSession(format: ExportFormat, session: SessionExport): ExportedSession {
  const exporter = EXPORTERS.find((one) => one.format === format);
  if (exporter !== undefined) return exporter.export(session);
  throw new ThreadfoldError("UNKNOWN_FORMAT", "There is no exporter for this format.", {
    hint: `Formats that can be written: ${EXPORTERS.map((one) => one.format).join(", ")}.`,
  });
}

export type { ImportedSession };
