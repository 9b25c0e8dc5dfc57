export { Inspection, type InspectionOptions } from "./build/inspection.ts";
export { foldedSession, type FoldedSessionOptions } from "./source/folded-session.ts";
export { storedRecord, type StoredRecordOptions } from "./source/stored-record.ts";
export type { ThreadRecord } from "./source/thread-record.ts";
export { pieceText, type ZippedPiece, zippedPieces } from "./build/pieces.ts";
export { auditRecord } from "./source/audit-record.ts";
