import type { TokenEstimate } from "../budget/token-estimate.ts";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import type { CompactionOutcome } from "../events/compaction-outcome.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json-value.ts";
import { sha256 } from "../json/sha256.ts";
import type { ArtifactId, ThreadId } from "../model/ids.ts";
import type { Sensitivity, Usage } from "../model/message.ts";
import type { RequestCacheRecord } from "./request-cache-record.ts";

/** What the journal records. Content is never in it, only ids, versions, digests and figures. */
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
      /** What was learned of the model by then; absent in journals that were written before it was kept. */
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
      /** Somebody asked for an artifact of this thread and got nothing. */
      readonly type: "artifact-denied";
      readonly artifactId: ArtifactId;
      readonly requesterId: string;
    }
  | { readonly type: "checkpoint-made"; readonly checkpoint: Checkpoint }
  | ThreadCopiedRecord
  | ThreadErasedRecord;

/**
 * What was stored, and under what terms it was kept then. The content is what an id names; who may see it and how long are
 * in no digest, so that they stand here. Storing content again adds a record, with the terms that hold from then on.
 */
export interface ArtifactsStoredRecord {
  readonly type: "artifacts-stored";
  readonly artifacts: readonly RecordedArtifact[];
}

/** The terms under which an artifact is kept. */
export interface RecordedArtifact {
  readonly artifactId: ArtifactId;
  /** ISO 8601 time in UTC from which its time to live counts. */
  readonly createdAt: string;
  /** Null for an artifact that does not expire. */
  readonly ttlSeconds: number | null;
  readonly sensitivity: Sensitivity;
  readonly mediaType: string;
}

/** That another thread begins with content of this one. Written before the other thread is, so that an erasure finds it. */
export interface ThreadCopiedRecord {
  readonly type: "thread-copied";
  readonly to: ThreadId;
  /** A fork has the first entries as they are, a handoff what its goal needs of them. */
  readonly as: "fork" | "handoff";
}

/** That a thread's content is gone, and what of it went. The proof of an erasure: no content, only figures. */
export interface ThreadErasedRecord {
  readonly type: "thread-erased";
  /** Who asked for it. */
  readonly actor: string;
  /** Why, as a code of the host's own, such as `user-request`. */
  readonly reason: string;
  /** How many there were of each when it happened. */
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  /** Whether the subject's key was destroyed. False where content was not encrypted and was removed itself. */
  readonly keyShredded: boolean;
}

/**
 * That a fold was due and no plan was committed. It carries what the next decision depends on, so that the newest record
 * under the current plan is all that a session that is opened again has to read.
 */
export interface FoldAttemptedRecord {
  readonly type: "fold-attempted";
  readonly outcome: Exclude<CompactionOutcome["type"], "committed" | "summarizer-failed-floor-used">;
  readonly threadVersion: number;
  readonly planVersion: number;
  /** Model calls of the thread at that time. */
  readonly step: number;
  /** Folds in a row without effect under this plan, this one included. */
  readonly failures: number;
  /** The step at which the first fold under this plan was postponed; null when none was. */
  readonly postponedSince: number | null;
  /** The step before which a soft fold need not be considered again. */
  readonly notBefore: number;
}

/** That a fold was due and a hook of the host said no. */
export interface FoldVetoedRecord {
  readonly type: "fold-vetoed";
  /** Name of the hook. */
  readonly hook: string;
  /** Why, in an artifact of the thread: a host may quote what was said, and a journal outlives an erasure. */
  readonly reason: ArtifactId;
  readonly threadVersion: number;
  readonly planVersion: number;
  /** Tokens of the request under that plan. */
  readonly tokens: number;
}

/**
 * What one fold asked a model to summarize, or what a provider's own compaction took, whatever became of it. Tokens are
 * those that were reported.
 */
export interface SummariesAskedRecord {
  readonly type: "summaries-asked";
  /** Set where the provider compacted by its own means, and no summarizer was asked. */
  readonly by?: "provider";
  /** How the fold ended; absent where the provider compacted in the course of an answer, and the next request folds. */
  readonly outcome?: CompactionOutcome["type"];
  /** The plan that was committed; absent where none was. */
  readonly planVersion?: number;
  /** Id of the summarizer; of the request's format where the provider compacted. */
  readonly summarizer: string;
  /** Name of the model behind it, where the summarizer says it. */
  readonly model?: string;
  readonly calls: number;
  /** Those read from and written to the prompt cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** False where the provider reported nothing of its compaction: the input is what the request had by the session's count. */
  readonly reported?: false;
}

/** That a request was over its budget and not handed out: nobody sent it. */
export interface RequestRefusedRecord {
  readonly type: "request-refused";
  /** How folding ended. */
  readonly outcome: CompactionOutcome["type"];
  readonly threadVersion: number;
  readonly planVersion: number;
  /** Tokens of the request under that plan. */
  readonly tokens: number;
  readonly maxInputTokens: number;
  /** Of these, what is kept free for the answer. */
  readonly outputReserveTokens: number;
}

/** What a model's answers and refusals have taught a session, for the one that opens the thread again. */
export interface LearnedOfModel {
  /** The model's name; null where the session was given none. */
  readonly model: string | null;
  readonly estimate: TokenEstimate;
  /** What it was found to take by a refusal, in its own tokens, and how long that is believed; null while nothing is known. */
  readonly limit: { readonly tokens: number; readonly trust: number; readonly answers: number } | null;
}

/** That the provider refused a request as too long. */
interface RequestOverflowedRecord {
  readonly type: "request-overflowed";
  readonly requestSequence: number;
  /** Tokens that it counted of the request, and that it takes, as far as it said so. */
  readonly inputTokens?: number;
  readonly limitTokens?: number;
  readonly learned: LearnedOfModel;
}

/** Everything that is needed to render a request again and compare its bytes (P2). */
export interface RequestRenderedRecord {
  readonly type: "request-rendered";
  readonly threadVersion: number;
  readonly planVersion: number;
  readonly renderVersion: string;
  readonly format: string;
  readonly tokenizer: string;
  /** Render options that change bytes, as plain data. */
  readonly options: JsonObject;
  /** Where system text and tool definitions are kept: canonical JSON of `{ system, tools }` in an artifact. */
  readonly frame: ArtifactId;
  /** What was brought back for this request alone. `content` is the artifact that holds just what went in, cut or whole. */
  readonly rehydrated: readonly {
    readonly artifactId: ArtifactId;
    readonly content: ArtifactId;
    readonly tokens: number;
    readonly truncated: boolean;
  }[];
  /** SHA-256 of the payload's canonical JSON. */
  readonly payloadDigest: string;
  /** Tokens by the tokenizer that is named. */
  readonly tokens: number;
  /** Tokens that the request might take: the budget without its reserves. Absent in journals that were written before it was recorded. */
  readonly limitTokens?: number;
  /** Absent in journals that were written before it was recorded, and for a request that nobody got. */
  readonly cache?: RequestCacheRecord;
  /**
   * False for a request that nobody got: it was recorded for its frame alone, as an import does. Absent for one that was
   * handed out.
   */
  readonly handedOut?: false;
}

/** One link of a thread's journal. */
export interface JournalEntry {
  /** Place in the journal of the thread, from 1. */
  readonly sequence: number;
  readonly threadId: ThreadId;
  /** ISO 8601 time in UTC. */
  readonly at: string;
  readonly record: JournalRecord;
  /** Hash of the entry before, or of the start. */
  readonly previousHash: string;
  /** SHA-256 of the canonical JSON of all the fields above. */
  readonly hash: string;
}

/** What the first entry of every journal links to. */
export const JOURNAL_START = sha256("threadfold-journal-v1");

/**
 * The entry that follows `previous` in a thread's journal.
 *
 * @param written the record's canonical JSON, where that is known.
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

/** The first entry that does not follow from the one before it, or null when the chain holds. */
export function firstBrokenEntry(
  entries: readonly JournalEntry[],
): { readonly sequence: number; readonly reason: string } | null {
  let previous: JournalEntry | null = null;
  for (const entry of entries) {
    const expected = rebuiltEntry(previous, entry);
    const sequence = (previous?.sequence ?? 0) + 1;
    if (entry.sequence !== sequence) return { sequence, reason: "an entry is missing or out of order" };
    if (expected === null) return { sequence, reason: "it holds what cannot be hashed" };
    if (entry.previousHash !== expected.previousHash)
      return { sequence, reason: "it does not link to the entry before" };
    if (entry.hash !== expected.hash) return { sequence, reason: "its content does not match its hash" };
    previous = entry;
  }
  return null;
}

/** Null for content that no entry can have been made of, such as a torn surrogate: a finding, not a failure. */
function rebuiltEntry(previous: JournalEntry | null, entry: JournalEntry): JournalEntry | null {
  try {
    return nextJournalEntry(previous, entry.threadId, entry.record, entry.at);
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return null;
    throw error;
  }
}

/**
 * What a thread and its journal were at one time. Kept elsewhere, it shows that both have only grown since: a chain alone
 * cannot tell that its end was cut off.
 */
export interface Checkpoint {
  readonly threadId: ThreadId;
  /** How many entries the journal had. */
  readonly size: number;
  /** Root of the Merkle tree (RFC 6962) whose leaves are the journal's entries, each by its hash. */
  readonly rootHash: string;
  /** ISO 8601 time in UTC. */
  readonly at: string;
  /** How many entries the thread had, and the last link of its chain as it is stored. */
  readonly threadVersion: number;
  readonly threadDigest: string;
  /** Version of the newest plan; 0 when there was none. */
  readonly planVersion: number;
  readonly signature?: CheckpointSignature;
}

/** Who vouches for a checkpoint. */
export interface CheckpointSignature {
  readonly algorithm: "Ed25519";
  /** The public key as SPKI (RFC 8410) in DER, base64. Whether it is to be trusted is for the reader to know. */
  readonly publicKey: string;
  /** Signature of {@link checkpointNote}, base64. */
  readonly value: string;
}

/** The text that is signed: the fields of a checkpoint, one a line, the id and the time as JSON strings. */
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
