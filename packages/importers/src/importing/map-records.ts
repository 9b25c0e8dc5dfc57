import { asThreadId, type Steps, ThreadfoldError, type ThreadId } from "@threadfold/core";
import type { SourceRecords } from "../reading/source-records.ts";
import type { SourceText } from "../reading/source-text.ts";
import { namesOf, pickThread, type SourceThread } from "../reading/source-threads.ts";
import type { ImportWarning } from "../session/import-warning.ts";
import type { ImportedSession, ImportedSource, ImportFormat } from "../session/imported-session.ts";
import { SessionDraft } from "../session/session-draft.ts";
import { shortId } from "../session/session-ids.ts";
import type { DraftedSession, SessionImporter } from "../session/session-importer.ts";
import { chooseImporter, IMPORTERS } from "./importers.ts";

/** Which part of a source to import, and with which importer. */
export interface SourceChoice {
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
}

/**
 * Builds a session from a source's records, in steps: picks the importer and the thread, and assembles what the
 * importer finds.
 *
 * @throws ThreadfoldError `EMPTY_SOURCE`, `UNKNOWN_FORMAT`, `WRONG_FORMAT`, `INVALID_CONFIG`.
 */
export function* mapRecords(
  all: SourceRecords,
  { format = "auto", thread: wanted = 1, importers = [] }: SourceChoice,
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
