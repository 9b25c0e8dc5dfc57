import { asThreadId, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { chooseImporter } from "./choose-importer.ts";
import { SessionDraft } from "./draft/session-draft.ts";
import { shortId } from "./draft/short-id.ts";
import type { ImportWarning } from "./import-warning.ts";
import type { ImportedSession, ImportedSource, ImportFormat } from "./imported-session.ts";
import { countThreads, narrowToThread } from "./reading/find-conversation.ts";
import type { SourceRecords } from "./reading/source-records.ts";
import type { SourceText } from "./reading/source-text.ts";

/**
 * Makes a session of a source's records: picks the thread and the importer, and puts together what the importer finds.
 *
 * @throws ThreadfoldError `EMPTY_SOURCE`, `UNKNOWN_FORMAT`, `WRONG_FORMAT`, `INVALID_CONFIG`.
 */
export function mapRecords(all: SourceRecords, format: ImportFormat | "auto", thread: number): ImportedSession {
  const threads = countThreads(all);
  if (!Number.isInteger(thread) || thread < 1 || thread > threads) throw noSuchThread(thread, threads);
  const source = threads === 1 ? all : narrowToThread(all, thread);
  const importer = chooseImporter(source, format);
  const draft = new SessionDraft();
  const { sessionId, records, ...frame } = importer.import(source, draft);
  if (draft.messages.length === 0) throw emptySource(importer.format, source, draft);
  const id = threadIdOf(importer.format, sessionId, source.source);
  return {
    format: importer.format,
    threadId: threads === 1 ? id : asThreadId(`${id}-${thread}`),
    messages: draft.messages,
    ...frame,
    compactions: draft.compactions,
    malformed: [...source.malformed, ...draft.malformed].sort((a, b) => a.line - b.line),
    nonPrompt: draft.nonPrompt,
    warnings: [...warningsAbout(source.source, thread, threads), ...draft.allWarnings],
    source: importedSource(source.source, records + source.malformed.length),
  };
}

function threadIdOf(format: ImportFormat, sessionId: string | undefined, source: SourceText): ThreadId {
  return asThreadId(sessionId === undefined ? `${format}-${source.sha256.slice(0, 24)}` : shortId(sessionId));
}

/** Keeps the digest lazy, as the source has it. */
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

function warningsAbout(source: SourceText, thread: number, threads: number): readonly ImportWarning[] {
  return [
    ...(source.wellFormed ? [] : [{ kind: "invalid-utf8" } as const]),
    ...(threads === 1 ? [] : [{ kind: "more-threads", thread, threads } as const]),
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

function noSuchThread(thread: number, threads: number): ThreadfoldError {
  return new ThreadfoldError("INVALID_CONFIG", `The source has ${threads} threads; there is no thread ${thread}.`, {
    hint: `Give a thread from 1 to ${threads}.`,
    details: { thread, threads },
  });
}
