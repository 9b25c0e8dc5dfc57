import type { Checkpoint } from "@threadfold/core";
import { AuditChecker } from "./audit-checker.ts";
import { unsealLine } from "./audit-line.ts";
import { parseAuditLine } from "./audit-line-schema.ts";
import { linesOf } from "./lines-of.ts";

/** What an audit file is held against beside itself. */
export interface AuditTrust {
  /**
   * Ed25519 key that checkpoints have to be signed with, as `ed25519PublicKey` gives it. Without `since` there has to be
   * at least one in the file.
   */
  readonly publicKey?: string;
  /** A checkpoint that was kept elsewhere: the file has to hold what grew from it. */
  readonly since?: Checkpoint;
}

/** What became of checking an audit file. Counts are of what was checked before the first bad line. */
export interface AuditReport {
  /** The first line that does not hold, counted from 1, and why; null when all of them do. Never any content. */
  readonly problem: { readonly line: number; readonly problem: string } | null;
  readonly threadId: string | null;
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  readonly journal: number;
  readonly requests: number;
  readonly checkpoints: number;
  /** Checkpoints with a signature that holds. */
  readonly signed: number;
  /** Journal entries that the newest of these covers. What comes after it, nobody has signed yet. */
  readonly signedEntries: number;
  /** Root of the journal's Merkle tree. */
  readonly rootHash: string;
}

/**
 * Checks an audit file, piece by piece as it is read, and names the first line that does not hold. A file that was made
 * up as a whole is consistent in itself: what shows that it is the thread's is a key or a checkpoint that is trusted.
 *
 * @param chunks the file's bytes, cut anywhere.
 */
export async function verifyAudit(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { publicKey, since }: AuditTrust = {},
): Promise<AuditReport> {
  const checker = new AuditChecker(publicKey);
  const report = (line: number, problem: string | null): AuditReport => ({
    problem: problem === null ? null : { line, problem },
    threadId: checker.threadId,
    ...checker.counts,
    rootHash: checker.tree.root(),
  });
  let number = 0;
  let seal = "";
  for await (const text of linesOf(chunks)) {
    number++;
    const unsealed = text === null ? null : unsealLine(text, seal);
    if (unsealed === null) return report(number, "it was changed, or does not follow from the line before");
    seal = unsealed.seal;
    const line = parseAuditLine(unsealed.line);
    const problem = line === null ? "it is no line of this format" : checker.problemOf(line, number);
    if (problem !== null) return report(number, problem);
  }
  if (!checker.isComplete) return report(number + 1, "the file ends before its end");
  if (since !== undefined) return report(number, checker.trustProblem(since));
  // Somebody who makes a file up leaves checkpoints out: then there is nothing that the trusted key vouches for.
  const isUnsigned = publicKey !== undefined && checker.counts.signed === 0;
  return report(number, isUnsigned ? "no checkpoint in it is signed" : null);
}
