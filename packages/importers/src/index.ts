export {
  describeImportWarning,
  type ImportedCompaction,
  type ImportedSession,
  type ImportedSource,
  type ImportFormat,
  type ImportWarning,
  type KnownFormat,
  type NonPromptRecords,
} from "./session/imported-session.ts";
export type {
  ImportProgress,
  MalformedRecord,
  SourcePointer,
  SourceRecord,
  SourceRecords,
} from "./reading/source-records.ts";
export { listedNames, type SourceThread } from "./reading/source-threads.ts";
export {
  DEFAULT_IMPORT_LIMITS,
  EXPORTERS,
  exportSession,
  importSession,
  importSessionFile,
  importSessionStream,
} from "./importing/sessions.ts";
export type { ImportLimits, ImportOptions } from "./importing/read-session.ts";
export type { DraftedSession, SessionImporter } from "./session/session-importer.ts";
export { IMPORTERS } from "./importing/importers.ts";
export type {
  ExportedSession,
  ExportFormat,
  ExportWarning,
  SessionExport,
  SessionExporter,
} from "./exporting/session-exporter.ts";
export type { SourceText } from "./reading/source-text.ts";
export { type CallLedger, type DraftMessage, SessionDraft } from "./session/session-draft.ts";
export { shortId } from "./session/session-ids.ts";
export { LIVE_FORMATS, type LiveFormat } from "./live/live-value.ts";
export {
  type LiveFrame,
  liveFrame,
  livePositions,
  type MessageReader,
  messageReader,
  type MessageReaderOptions,
  type ReadOptions,
} from "./live/message-reader.ts";
