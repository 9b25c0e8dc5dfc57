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

/** What of a source is imported, and by whom. */
export interface SourceChoice {
  /** The format of the source; detected by default. */
  readonly format?: ImportFormat | "auto";
  /**
   * Which thread of a source that holds several: its place, from 1, or its name, as the warning `more-threads` lists
   * them. The first by default.
   */
  readonly thread?: number | string;
  /**
   * Custom importers, for tools that this package does not know. They are asked first: where one of them and one of
   * ours are equally sure of a source, the custom one reads it.
   */
  readonly importers?: readonly SessionImporter[];
}

/**
 * Makes a session of a source's records, in steps: picks the importer and the thread, and assembles what the importer
 * finds.
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

/** The log's own id or one of its beginning. Threads after the first of a source get their place behind it. */
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

/** Leaves the digest to be computed when it is first asked for, as the source does. */
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
    `The source is in the format ${format} and holds no message (${source.records.length} records, ${malformed} malformed).`,
    { details: { format, records: source.records.length, malformed } },
  );
}
