export {
  archiveThread,
  archiveThreads,
  type ArchiveOptions,
  type RefusedThread,
  type RetentionOptions,
  type RetentionReport,
  unarchiveThread,
  type UnarchiveOptions,
} from "./archive-thread.ts";
export type { ArchiveReceipt } from "./audit/archive-receipt.ts";
export {
  type ArchivableStore,
  isArchivable,
  type OpenSegments,
  type StoreArchiver,
} from "./audit/segment.ts";
export { type OpenedStore, openStore, type OpenStoreOptions, segmentPlaces } from "./open-store.ts";
export { type StoreOptions, systemClock } from "./shared/store-basics.ts";
export { makeFolders } from "./filesystem/file-artifacts.ts";
export { createMemoryStore } from "./memory/memory-store.ts";
export {
  type InspectableStore,
  inspectorOf,
  isInspectable,
  type StoredArtifact,
  type StoredEntry,
  type StoredJournalEntry,
  type StoredPlan,
  type StoreInspector,
} from "./inspection/inspector.ts";
export { type ExportOptions, exportThread, THREAD_EXPORT_VERSION } from "./inspection/export-thread.ts";
export { type StoreFinding, type VerifyOptions, verifySince, verifyStore } from "./audit/verify-store.ts";
export { listedThreads, threadTitle, titleThread } from "./shared/threads.ts";
export {
  type CheckpointOptions,
  type CheckpointSigner,
  ed25519PublicKey,
  ed25519Signer,
  makeCheckpoint,
  parseCheckpoint,
  signatureProblem,
} from "./audit/checkpoint.ts";
export { type AuditExportOptions, type AuditLine, exportAudit } from "./audit/audit-file.ts";
export { type AuditReport, type AuditTrust, verifyAudit } from "./audit/verify-audit.ts";
export { type Clearance, isCleared, journaledAccess, type JournaledAccessOptions } from "./audit/journaled-access.ts";
export { encryptedStore, sealedSummaries, sealedSummaryCache } from "./encryption/encrypted-store.ts";
export { isSealedThread, refuseSealedArtifact, refuseSealedThread } from "./encryption/encrypted-threads.ts";
export type { EncryptionOptions } from "./encryption/sealer.ts";
export { fileKeyStore, memoryKeyStore } from "./encryption/subject-keys.ts";
export {
  type ErasableStore,
  type ErasedSummaries,
  type ErasedThread,
  eraseSubject,
  type ErasureOptions,
  type ErasureReport,
  isErasable,
  type StoreEraser,
  sweepExpired,
} from "./erasure/erase-subject.ts";
export { refuseErasedThread } from "./erasure/refuse-erased.ts";
