import { asThreadId, type Steps, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { databaseBytesLines, databaseLines, isDatabase, isDatabaseFile } from "../reading/database-source.ts";
import { type ImportProgress, Pace, readRecords, type SourceRecords } from "../reading/source-records.ts";
import { collectBytes, decodeSource, decompress, readSourceFile, type SourceText } from "../reading/source-text.ts";
import { namesOf, pickThread, type SourceThread } from "../reading/source-threads.ts";
import type { ImportedSession, ImportedSource, ImportFormat, ImportWarning } from "../session/imported-session.ts";
import { SessionDraft } from "../session/session-draft.ts";
import { shortId } from "../session/session-ids.ts";
import type { DraftedSession, SessionImporter } from "../session/session-importer.ts";
import { chooseImporter, IMPORTERS } from "./importers.ts";

/** Options for importing a session. */
export interface ImportOptions {
  /** The format of the source; detected by default. */
  readonly format?: ImportFormat | "auto";
  /**
   * Which thread to import from a source with several: its position, from 1, or its name, as listed in the warning
   * `more-threads`. The first by default.
   */
  readonly thread?: number | string;
  /**
   * Custom importers, for tools that this package does not support. They are asked first: when a custom importer and a
   * built-in one have the same confidence, the custom one reads the source.
   */
  readonly importers?: readonly SessionImporter[];
  /** Maximum input sizes. 512 MiB, and lines of 64 Mi characters, by default. */
  readonly limits?: Partial<ImportLimits>;
  /** Aborts the import with `ABORTED`. */
  readonly signal?: AbortSignal;
  /** Called periodically with the progress, and once at the end. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** Maximum sizes that an import accepts; larger input is refused with `SOURCE_TOO_LARGE`. */
export interface ImportLimits {
  /** Bytes of the source after decompression. Values above the host's maximum string length have no effect. */
  readonly maxBytes: number;
  /** UTF-16 code units in one line, or in a JSON document that is on one line. */
  readonly maxLineLength: number;
}

/** Reads the bytes of a session log: unpacked, decoded, as records, as a session. */
export async function readSession(
  bytes: Uint8Array,
  limits: ImportLimits,
  options: ImportOptions,
): Promise<ImportedSession> {
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

export async function readSessionFile(
  path: string,
  limits: ImportLimits,
  options: ImportOptions,
): Promise<ImportedSession> {
  const bytes = (await isDatabaseFile(path))
    ? await databaseLines(path, limits.maxBytes)
    : await readSourceFile(path, limits.maxBytes, options.signal);
  return readSession(bytes, limits, options);
}

export async function readSessionStream(
  chunks: AsyncIterable<Uint8Array>,
  limits: ImportLimits,
  options: ImportOptions,
): Promise<ImportedSession> {
  return readSession(await collectBytes(chunks, limits.maxBytes), limits, options);
}

/**
 * Builds a session from a source's records, in steps: picks the importer and the thread, and assembles what the
 * importer finds.
 *
 * @throws ThreadfoldError `EMPTY_SOURCE`, `UNKNOWN_FORMAT`, `WRONG_FORMAT`, `INVALID_CONFIG`.
 */
function* mapRecords(
  all: SourceRecords,
  { format = "auto", thread: wanted = 1, importers = [] }: ImportOptions,
): Steps<ImportedSession> {
  const known = [...importers, ...IMPORTERS];
  const first = chooseImporter(all, format, known);
  const threads = first.threads?.(all) ?? [];
  const thread = pickThread(threads, wanted);
  const source = threads.length < 2 ? all : { ...all, records: threads[thread - 1]?.records ?? [] };
  const importer = source === all ? first : chooseImporter(source, format, known);
  const draft = new SessionDraft();
  const { sessionId, opening, records, ...frame } = importer.importInSteps
    ? yield* importer.importInSteps(source, draft)
    : importer.import(source, draft);
  if (draft.messages.length === 0) throw emptySource(importer.format, source, draft);
  return {
    format: importer.format,
    threadId: threadIdOf(importer.format, { sessionId, opening }, source.source, threads, thread),
    messages: draft.messages,
    ...frame,
    compactions: draft.compactions,
    malformed: [...source.malformed, ...draft.malformed].sort((a, b) => a.line - b.line),
    nonPrompt: draft.nonPrompt,
    warnings: [...warningsAbout(source.source, threads, thread), ...draft.allWarnings],
    source: importedSource(source.source, records + source.malformed.length),
  };
}

/**
 * The log's own id or one derived from its beginning. For threads after the first of a source, their position is
 * appended.
 */
function threadIdOf(
  format: ImportFormat,
  { sessionId, opening }: { readonly [Field in "sessionId" | "opening"]: DraftedSession[Field] | undefined },
  source: SourceText,
  threads: readonly SourceThread[],
  thread: number,
): ThreadId {
  const id = sessionId ?? `${format}-${(opening ?? source.sha256).slice(0, 24)}`;
  const isOwn = sessionId !== undefined && threads.filter(({ name }) => name === sessionId).length === 1;
  return asThreadId(shortId(thread === 1 || isOwn ? id : `${id}-${thread}`));
}

/** Computes the digest only when it is first read, as the source does. */
function importedSource(source: SourceText, records: number): ImportedSource {
  return {
    bytes: source.bytes,
    get sha256() {
      return source.sha256;
    },
    text: source.text,
    records,
  };
}

function warningsAbout(source: SourceText, threads: readonly SourceThread[], thread: number): readonly ImportWarning[] {
  const names = namesOf(threads);
  return [
    ...(source.wellFormed ? [] : [{ kind: "invalid-utf8" } as const]),
    ...(threads.length < 2
      ? []
      : [{ kind: "more-threads", thread, threads: threads.length, ...(names && { names }) } as const]),
  ];
}

function emptySource(format: ImportFormat, source: SourceRecords, draft: SessionDraft): ThreadfoldError {
  const malformed = source.malformed.length + draft.malformed.length;
  return new ThreadfoldError(
    "EMPTY_SOURCE",
    `The source is in the format ${format} and has no messages (${source.records.length} records, ${malformed} malformed).`,
    { details: { format, records: source.records.length, malformed } },
  );
}
