export type {
  ImportedCompaction,
  ImportedSession,
  ImportedSource,
  ImportFormat,
  MalformedRecord,
  NonPromptRecords,
} from "./imported-session.ts";
export type { SourcePointer } from "./source-pointer.ts";
export { describeImportWarning, type ImportWarning, listedNames } from "./import-warning.ts";
export { type ImportOptions, importSession, importSessionFile, importSessionStream } from "./import-session.ts";
export type { SessionImporter } from "./session-importer.ts";
export { IMPORTERS } from "./importers.ts";
export type {
  ExportedSession,
  ExportFormat,
  ExportWarning,
  SessionExport,
  SessionExporter,
} from "./session-exporter.ts";
export { EXPORTERS, exportSession } from "./exporters.ts";
export { DEFAULT_IMPORT_LIMITS, type ImportLimits } from "./reading/import-limits.ts";
export type { ImportProgress } from "./reading/pace.ts";
export type { SourceRecord, SourceRecords } from "./reading/source-records.ts";
export type { SourceThread } from "./reading/source-thread.ts";
export type { SourceText } from "./reading/source-text.ts";
export { SessionDraft, type DraftedSession, type DraftMessage } from "./draft/session-draft.ts";
export type { CallLedger } from "./draft/call-ledger.ts";
export { LIVE_FORMATS, type LiveFormat } from "./live/live-format.ts";
export { type LiveFrame, liveFrame } from "./live/live-frame.ts";
export {
  livePositions,
  type MessageReader,
  messageReader,
  type MessageReaderOptions,
  type ReadOptions,
} from "./live/message-reader.ts";
