import type { ThreadId } from "../model/ids.ts";

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
