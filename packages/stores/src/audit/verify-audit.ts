import { type Checkpoint, checkOptions, refuseArgument } from "@threadfold/core";
import { AuditChecker } from "./audit-checker.ts";
import { type AuditLine, parseAuditLine, unsealLine } from "./audit-file.ts";
import { checkCheckpoint } from "./checkpoint.ts";

/** What an audit file is checked against, besides itself. */
export interface AuditTrust {
  /**
   * Trusted Ed25519 key, as `ed25519PublicKey` returns it. `since` must be signed with it; without `since`, at least one
   * checkpoint in the file must be. Checkpoints that are unsigned or signed with another key may be in the file too.
   */
  readonly publicKey?: string;
  /** A checkpoint that was kept elsewhere: the file must contain what grew from it. */
  readonly since?: Checkpoint;
  /** Called with every valid line, in order, up to the first that is not. */
  readonly onLine?: (line: AuditLine) => void;
}

/** The result of checking an audit file. Counts cover what was checked before the first bad line. */
export interface AuditReport {
  /** The first bad line, counted from 1, and what is wrong with it; null when there is none. Never contains content. */
  readonly problem: { readonly line: number; readonly problem: string } | null;
  readonly threadId: string | null;
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  readonly journal: number;
  readonly requests: number;
  readonly checkpoints: number;
  /** Checkpoints with a valid signature; if a key is trusted, only those that it made. */
  readonly signed: number;
  /** Journal entries that the newest of these covers. Nothing vouches yet for what comes after them. */
  readonly signedEntries: number;
  /** Root of the journal's Merkle tree. */
  readonly rootHash: string;
}

/**
 * Checks an audit file piece by piece as it is read, and names the first bad line. A file that was fabricated as a
 * whole is consistent in itself: only a trusted key or checkpoint shows that it is the thread's.
 *
 * @param chunks the file's bytes, split anywhere.
 * @throws ThreadfoldError `INVALID_CONFIG` for an argument that makes no sense.
 */
export async function verifyAudit(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  trust: AuditTrust = {},
): Promise<AuditReport> {
  checkOptions("trust", trust, { publicKey: "name", since: "any", onLine: "call" });
  const { publicKey, since, onLine } = trust;
  if (since !== undefined) checkCheckpoint("since", since);
  const isReadable = Symbol.asyncIterator in Object(chunks) || Symbol.iterator in Object(chunks);
  if (!isReadable || typeof chunks === "string") refuseArgument("chunks", "it has to be the bytes of the file.");
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
    if (unsealed === null) return report(number, "it was changed, or does not follow from the previous line");
    seal = unsealed.seal;
    const line = parseAuditLine(unsealed.line);
    const problem = line === null ? "it is not a line of this format" : checker.problemOf(line, number);
    if (line === null || problem !== null) return report(number, problem);
    onLine?.(line);
  }
  if (!checker.isComplete) return report(number + 1, "the file is cut off before its end");
  if (since !== undefined) return report(number, checker.trustProblem(since));
  // A fabricated file can leave checkpoints out: then there is nothing that the trusted key vouches for.
  const isUnsigned = publicKey !== undefined && checker.counts.signed === 0;
  return report(number, isUnsigned ? "no checkpoint in it is signed with this key" : null);
}

/**
 * Yields the lines of a file, without their newlines, as its bytes arrive. Only a line feed ends a line, and the last
 * line must be ended too. A line that is not UTF-8, too long or not ended is null, and nothing is read after a line
 * that is too long.
 */
async function* linesOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      yield decoded(decoder, parts);
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > LONGEST_LINE) return yield null;
  }
  if (parts.length > 0) yield null;
}

const NEWLINE = 0x0a;
/**
 * In bytes, far beyond any entry. Longer lines are not read, so that a file without newlines does not fill the memory.
 */
const LONGEST_LINE = 256 * 1024 * 1024;

function decoded(decoder: InstanceType<typeof TextDecoder>, parts: readonly Uint8Array[]): string | null {
  try {
    return decoder.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  } catch {
    return null;
  }
}
