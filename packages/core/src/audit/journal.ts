import type { TokenEstimate } from "../budget/token-estimate.ts";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import type { CompactionOutcome } from "../events/compaction-outcome.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json-value.ts";
import { portableSha256, sha256 } from "../json/sha256.ts";
import type { ArtifactId, ThreadId } from "../model/ids.ts";
import type { Sensitivity, Usage } from "../model/message.ts";
import type { RequestCacheRecord } from "./request-cache-record.ts";

/** A record of the journal. It never holds content, only ids, versions, digests and figures. */
export type JournalRecord =
  | { readonly type: "entries-appended"; readonly threadVersion: number; readonly threadDigest: string }
  | {
      readonly type: "plan-committed";
      readonly planVersion: number;
      readonly planId: string;
      readonly diffDigest: string;
    }
  | ArtifactsStoredRecord
  | FoldAttemptedRecord
  | FoldVetoedRecord
  | RequestRenderedRecord
  | RequestRefusedRecord
  | SummariesAskedRecord
  | {
      readonly type: "usage-reported";
      readonly requestSequence: number;
      readonly usage: Usage;
      /** What was known about the model by then; absent in older journals. */
      readonly learned?: LearnedOfModel;
    }
  | RequestOverflowedRecord
  | {
      readonly type: "artifact-read";
      readonly artifactId: ArtifactId;
      readonly requesterId: string;
      readonly automatic: boolean;
    }
  | {
      /** Somebody asked for an artifact of this thread and was denied it. */
      readonly type: "artifact-denied";
      readonly artifactId: ArtifactId;
      readonly requesterId: string;
    }
  | { readonly type: "checkpoint-made"; readonly checkpoint: Checkpoint }
  | ThreadCopiedRecord
  | ThreadErasedRecord;

/**
 * Records that artifacts were stored, and the terms they are kept under. An id identifies the content; who may see it
 * and for how long is in no digest, and so is recorded here. Storing content again adds a record with the new terms.
 */
export interface ArtifactsStoredRecord {
  readonly type: "artifacts-stored";
  readonly artifacts: readonly RecordedArtifact[];
}

/** The terms under which an artifact is kept. */
export interface RecordedArtifact {
  readonly artifactId: ArtifactId;
  /** ISO 8601 time in UTC at which its time to live starts. */
  readonly createdAt: string;
  /** Null for an artifact that does not expire. */
  readonly ttlSeconds: number | null;
  readonly sensitivity: Sensitivity;
  readonly mediaType: string;
}

/** Records that another thread begins with content of this one. Written first, so that an erasure finds that thread. */
export interface ThreadCopiedRecord {
  readonly type: "thread-copied";
  readonly to: ThreadId;
  /** A fork has the first entries unchanged, a handoff the parts that its goal needs. */
  readonly as: "fork" | "handoff";
}

/** Records that a thread's content was erased, and how much. The proof of an erasure: no content, only figures. */
export interface ThreadErasedRecord {
  readonly type: "thread-erased";
  /** Who asked for the erasure. */
  readonly actor: string;
  /** The reason, as a code that the host chooses, such as `user-request`. */
  readonly reason: string;
  /** The number of entries, plans and artifacts at the time of the erasure. */
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  /** Whether the subject's key was destroyed. False when the content was not encrypted and was itself removed. */
  readonly keyShredded: boolean;
}

/**
 * Records that a fold was due and no plan was committed. It carries what the next decision depends on, so that a
 * reopened session needs to read only the newest record under the current plan.
 */
export interface FoldAttemptedRecord {
  readonly type: "fold-attempted";
  readonly outcome: Exclude<CompactionOutcome["type"], "committed" | "summarizer-failed-floor-used">;
  readonly threadVersion: number;
  readonly planVersion: number;
  /** The number of model calls in the thread at that time. */
  readonly step: number;
  /** The number of folds in a row without effect under this plan, including this one. */
  readonly failures: number;
  /** The step at which the first fold under this plan was postponed; null when none was. */
  readonly postponedSince: number | null;
  /** The step before which a soft fold need not be considered again. */
  readonly notBefore: number;
}

/** Records that a fold was due and a hook of the host vetoed it. */
export interface FoldVetoedRecord {
  readonly type: "fold-vetoed";
  /** Name of the hook. */
  readonly hook: string;
  /** The artifact of the thread that holds the reason: it may quote messages, and a journal outlives an erasure. */
  readonly reason: ArtifactId;
  readonly threadVersion: number;
  readonly planVersion: number;
  /** Tokens of the request under that plan. */
  readonly tokens: number;
}

/**
 * Records the model calls that one fold made for summaries, or a provider's own compaction, whatever the outcome.
 * Tokens are as reported: a request that was not answered has none.
 */
export interface SummariesAskedRecord {
  readonly type: "summaries-asked";
  /** Set when the provider itself compacted and no summarizer was called. */
  readonly by?: "provider";
  /** How the fold ended; absent when the provider compacted while answering, as the next request then folds. */
  readonly outcome?: CompactionOutcome["type"];
  /** Version of the plan that was committed; absent when none was. */
  readonly planVersion?: number;
  /** Id of the summarizer, or of the request format when the provider compacted. */
  readonly summarizer: string;
  /** Name of the model that was called, if it is known. */
  readonly model?: string;
  /**
   * How many requests for summaries were sent to the model, including repeated ones and those that failed or whose
   * answer was not used. A summary counts as one if its summarizer does not report its requests, or had it in a cache.
   */
  readonly calls: number;
  /** Input tokens, including those read from and written to the prompt cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** False when the provider did not report its compaction: `inputTokens` is then estimated from the request. */
  readonly reported?: false;
}

/** Records that a request was over its budget and so was not handed out to be sent. */
export interface RequestRefusedRecord {
  readonly type: "request-refused";
  /** How folding ended. */
  readonly outcome: CompactionOutcome["type"];
  readonly threadVersion: number;
  readonly planVersion: number;
  /** Tokens of the request under that plan. */
  readonly tokens: number;
  readonly maxInputTokens: number;
  /** The part of `maxInputTokens` that is kept free for the answer. */
  readonly outputReserveTokens: number;
}

/** What a session learned from a model's answers and refusals, for a later session on the same thread. */
export interface LearnedOfModel {
  /** The model's name; null when the session has none. */
  readonly model: string | null;
  readonly estimate: TokenEstimate;
  /**
   * The most that the model accepts, learned from a refusal, in provider tokens: believed for `trust` answers, of which
   * `answers` have come since. Null while no limit is known.
   */
  readonly limit: { readonly tokens: number; readonly trust: number; readonly answers: number } | null;
}

/** Records that the provider refused a request as too long. */
interface RequestOverflowedRecord {
  readonly type: "request-overflowed";
  readonly requestSequence: number;
  /** Tokens of the request and the limit on them, by the provider's count, as far as its error says. */
  readonly inputTokens?: number;
  readonly limitTokens?: number;
  readonly learned: LearnedOfModel;
}

/** Records everything needed to render a request again and compare its bytes (P2). */
export interface RequestRenderedRecord {
  readonly type: "request-rendered";
  readonly threadVersion: number;
  readonly planVersion: number;
  readonly renderVersion: string;
  readonly format: string;
  readonly tokenizer: string;
  /** Render options that change bytes, as plain data. */
  readonly options: JsonObject;
  /** The artifact that holds system text and tool definitions, as canonical JSON of `{ system, tools }`. */
  readonly frame: ArtifactId;
  /** Content brought back for this request alone. `content` is the artifact with exactly the text that was included. */
  readonly rehydrated: readonly {
    readonly artifactId: ArtifactId;
    readonly content: ArtifactId;
    readonly tokens: number;
    readonly truncated: boolean;
  }[];
  /** SHA-256 of the payload's canonical JSON. */
  readonly payloadDigest: string;
  /** Tokens as counted by `tokenizer`. */
  readonly tokens: number;
  /**
   * The most tokens that the request could take, in the provider's tokens: the budget less its reserves. Absent in older
   * journals.
   */
  readonly limitTokens?: number;
  /** The request in the provider's tokens, as then estimated: what `limitTokens` limits. Absent in older journals. */
  readonly estimatedTokens?: number;
  /** Absent in older journals, for requests that were never handed out, and for those handed out again. */
  readonly cache?: RequestCacheRecord;
  /**
   * False for a request that was never handed out: it was recorded only for its frame, as an import does. Absent for
   * one that was handed out.
   */
  readonly handedOut?: false;
}

/** One link of a thread's journal. */
export interface JournalEntry {
  /** Position in the thread's journal, from 1. */
  readonly sequence: number;
  readonly threadId: ThreadId;
  /** ISO 8601 time in UTC. */
  readonly at: string;
  readonly record: JournalRecord;
  /** Hash of the previous entry, or {@link JOURNAL_START} for the first. */
  readonly previousHash: string;
  /** SHA-256 of the canonical JSON of all the fields above. */
  readonly hash: string;
}

/** The previous hash of the first entry of every journal. */
export const JOURNAL_START = portableSha256("threadfold-journal-v1");

/**
 * Makes the entry that follows `previous` in a thread's journal.
 *
 * @param written the record's canonical JSON, if it is already known.
 */
export function nextJournalEntry(
  previous: JournalEntry | null,
  threadId: ThreadId,
  record: JournalRecord,
  at: string,
  written: string = canonicalJson(record),
): JournalEntry {
  const sequence = (previous?.sequence ?? 0) + 1;
  const previousHash = previous?.hash ?? JOURNAL_START;
  // The canonical JSON of all fields, in the order of their names.
  const [before, link, place, thread] = [at, previousHash, sequence, threadId].map((field) => canonicalJson(field));
  const hash = sha256(
    `{"at":${before},"previousHash":${link},"record":${written},"sequence":${place},"threadId":${thread}}`,
  );
  return { sequence, threadId, at, record, previousHash, hash };
}

/** Returns the first entry that does not follow from the previous one, or null when the chain is intact. */
export function firstBrokenEntry(
  entries: readonly JournalEntry[],
): { readonly sequence: number; readonly reason: string } | null {
  let previous: JournalEntry | null = null;
  for (const entry of entries) {
    const expected = rebuiltEntry(previous, entry);
    const sequence = (previous?.sequence ?? 0) + 1;
    if (entry.sequence !== sequence) return { sequence, reason: "an entry is missing or out of order" };
    if (expected === null) return { sequence, reason: "it contains a value that cannot be hashed" };
    if (entry.previousHash !== expected.previousHash)
      return { sequence, reason: "it does not link to the previous entry" };
    if (entry.hash !== expected.hash) return { sequence, reason: "its content does not match its hash" };
    previous = entry;
  }
  return null;
}

/** Makes an entry again; null for content that cannot be hashed, such as a lone surrogate: a finding, not a failure. */
function rebuiltEntry(previous: JournalEntry | null, entry: JournalEntry): JournalEntry | null {
  try {
    return nextJournalEntry(previous, entry.threadId, entry.record, entry.at);
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return null;
    throw error;
  }
}

/**
 * The state of a thread and its journal at one time. Kept elsewhere, it proves that both have only grown since: a hash
 * chain alone cannot show that its end was cut off.
 */
export interface Checkpoint {
  readonly threadId: ThreadId;
  /** The number of entries in the journal. */
  readonly size: number;
  /** Root of the Merkle tree (RFC 6962) whose leaves are the hashes of the journal's entries. */
  readonly rootHash: string;
  /** ISO 8601 time in UTC. */
  readonly at: string;
  /** The number of entries in the thread, and the last link of its stored hash chain. */
  readonly threadVersion: number;
  readonly threadDigest: string;
  /** Version of the newest plan; 0 when there was none. */
  readonly planVersion: number;
  readonly signature?: CheckpointSignature;
}

/** The signature of whoever vouches for a checkpoint. */
export interface CheckpointSignature {
  readonly algorithm: "Ed25519";
  /** The public key as SPKI (RFC 8410) in DER, base64. The reader must decide whether to trust it. */
  readonly publicKey: string;
  /** Signature of {@link checkpointNote}, base64. */
  readonly value: string;
}

/** Returns the text that is signed: the fields of a checkpoint, one per line, the id and the time as JSON strings. */
export function checkpointNote(checkpoint: Omit<Checkpoint, "signature">): string {
  const { threadId, size, rootHash, at, threadVersion, threadDigest, planVersion } = checkpoint;
  const lines = [
    JSON.stringify(threadId),
    size,
    rootHash,
    JSON.stringify(at),
    threadVersion,
    threadDigest,
    planVersion,
  ];
  return ["threadfold-checkpoint-v1", ...lines, ""].join("\n");
}
