import {
  asThreadId,
  canonicalJson,
  type JournalEntry,
  parseJson,
  THREAD_CHAIN_START,
  ThreadfoldError,
} from "@threadfold/core";
import { type AuditLine, type AuditReport, type StoreFinding, verifyAudit } from "@threadfold/stores";
import { type KeptRows, keptRecord } from "./kept-rows.ts";
import type { ThreadRecord } from "./thread-record.ts";

/**
 * Reads a thread from an audit file, as far as the file verifies: nothing after the first bad line is read, and that
 * line is among the findings. A file without bodies yields only the journal.
 *
 * @param chunks the file's bytes, cut anywhere.
 * @throws ThreadfoldError `UNREADABLE_SOURCE` when the file does not even begin as an audit file.
 */
export async function auditRecord(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ThreadRecord> {
  const rows = new AuditRows();
  const report = await verifyAudit(chunks, { onLine: (line) => rows.take(line) });
  if (report.threadId === null)
    throw new ThreadfoldError("UNREADABLE_SOURCE", `The file is not an audit file: ${report.problem?.problem}.`);
  return keptRecord(rows.of(report.threadId), findingsOf(report));
}

function findingsOf({ problem, threadId }: AuditReport): readonly StoreFinding[] {
  if (problem === null) return [];
  const about = { threadId: threadId === null ? null : asThreadId(threadId), at: problem.line };
  return [{ family: "file", ...about, problem: `line ${problem.line}: ${problem.problem}` }];
}

/** The contents of an audit file's lines. */
class AuditRows {
  readonly #bodies: string[] = [];
  readonly #plans = new Map<number, string>();
  readonly #journal: JournalEntry[] = [];
  readonly #contents = new Map<string, string>();
  #digest = THREAD_CHAIN_START;
  /** False from the first entry on whose body is not in the file: the log is readable up to there. */
  #isWhole = true;

  take(line: AuditLine): void {
    switch (line.type) {
      case "entry":
        return this.#takeEntry(line.body, line.link);
      case "plan":
        if (line.text !== null) this.#plans.set(line.version, storedPlan(line.text, line));
        return;
      case "artifact":
        if (line.content !== null) this.#contents.set(line.artifactId, line.content);
        return;
      case "journal":
        this.#journal.push({ ...(parseJson(line.text) as unknown as Omit<JournalEntry, "hash">), hash: line.hash });
        return;
      default:
    }
  }

  of(threadId: string): KeptRows {
    return {
      threadId: asThreadId(threadId),
      bodies: this.#bodies,
      digest: this.#digest,
      plans: this.#plans,
      journal: this.#journal,
      contents: this.#contents,
    };
  }

  #takeEntry(body: string | null, link: string): void {
    this.#isWhole &&= body !== null;
    if (!this.#isWhole || body === null) return;
    this.#bodies.push(body);
    this.#digest = link;
  }
}

/** Returns a plan as stores keep it: the hashed text, with its id and creation time. */
function storedPlan(text: string, { planId, createdAt }: { planId: string; createdAt: string }): string {
  return canonicalJson({ ...(parseJson(text) as object), planId, createdAt });
}
