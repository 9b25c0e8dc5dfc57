export { type OpenedStore, openStore, type OpenStoreOptions } from "./open-store.ts";
export type { StoreOptions } from "./store-options.ts";
export { systemClock } from "./system-clock.ts";
export { createMemoryStore } from "./memory/memory-store.ts";
export { openSqliteStore } from "./sqlite/sqlite-store.ts";
export {
  type InspectableStore,
  isInspectable,
  type StoredArtifact,
  type StoredEntry,
  type StoredJournalEntry,
  type StoredPlan,
  type StoreInspector,
} from "./inspection/stored-rows.ts";
export { type StoreFinding, type VerifyOptions, verifyStore } from "./inspection/verify-store.ts";
export { type ExportOptions, exportThread, THREAD_EXPORT_VERSION } from "./inspection/export-thread.ts";
export { listedThreads } from "./rules/listed-threads.ts";
export { type CheckpointOptions, makeCheckpoint } from "./audit/make-checkpoint.ts";
export {
  type CheckpointSigner,
  ed25519PublicKey,
  ed25519Signer,
  signatureProblem,
} from "./audit/checkpoint-signature.ts";
export { parseCheckpoint } from "./audit/checkpoint-schema.ts";
export { type AuditExportOptions, exportAudit } from "./audit/export-audit.ts";
export { type AuditReport, type AuditTrust, verifyAudit } from "./audit/verify-audit.ts";
export { verifySince } from "./audit/verify-since.ts";
export { encryptedStore } from "./encryption/encrypted-store.ts";
export type { EncryptionOptions } from "./encryption/sealed-places.ts";
export { fileKeyStore, memoryKeyStore } from "./encryption/subject-keys.ts";
export { sealedSummaries, sealedSummaryCache } from "./encryption/sealed-summary-cache.ts";
export {
  type ErasedSummaries,
  type ErasedThread,
  eraseSubject,
  type ErasureOptions,
  type ErasureReport,
  sweepExpired,
} from "./erasure/erase-subject.ts";
export { refuseErasedThread } from "./erasure/refuse-erased-thread.ts";
export { type ErasableStore, isErasable, type StoreEraser } from "./erasure/store-eraser.ts";
export { type Clearance, isCleared, journaledAccess, type JournaledAccessOptions } from "./access/journaled-access.ts";
