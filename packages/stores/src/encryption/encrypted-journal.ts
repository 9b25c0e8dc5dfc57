import {
  type AuditJournal,
  freezeDeep,
  type JournalEntry,
  type JournalRecord,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { checkThreadId } from "../rules/checked-arguments.ts";
import { asKeyedDigest } from "../rules/keyed-digest.ts";
import { isEnvelope } from "./sealed-envelope.ts";
import type { Sealer } from "./sealer.ts";
import type { Sealers } from "./sealers.ts";

/**
 * A journal without bare digests of plain content, which would let anybody confirm a guess of it, also after it was
 * erased. Digests of threads, plans and diffs are kept under the subject's key, and those of requests sealed, because a
 * replay needs them back. Hashes are over what is stored: a request's entry that was opened for reading does not give its
 * own hash, and `verifyStore` checks what is stored.
 */
export class EncryptedJournal implements AuditJournal {
  readonly #inner: AuditJournal;
  readonly #sealers: Sealers;

  constructor(inner: AuditJournal, sealers: Sealers) {
    this.#inner = inner;
    this.#sealers = sealers;
  }

  async append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry> {
    checkThreadId(threadId);
    const entry = await this.#inner.append(threadId, await this.#sealed(threadId, record), at);
    return this.#opened(threadId, entry);
  }

  async read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]> {
    const entries = await this.#inner.read(threadId, options);
    return Object.freeze(await Promise.all(entries.map((entry) => this.#opened(threadId, entry))));
  }

  /** Only records with digests need a key, so that an erasure can be written down after the key is gone. */
  async #sealed(threadId: ThreadId, record: JournalRecord): Promise<JournalRecord> {
    const toSeal = (): Promise<Sealer> => this.#sealers.toSeal(threadId);
    switch (record.type) {
      case "entries-appended":
        return { ...record, threadDigest: asKeyedDigest((await toSeal()).digest(record.threadDigest)) };
      case "plan-committed": {
        const sealer = await toSeal();
        const { planId, diffDigest } = record;
        return {
          ...record,
          planId: asKeyedDigest(sealer.digest(planId)),
          diffDigest: asKeyedDigest(sealer.digest(diffDigest)),
        };
      }
      case "request-rendered":
        return { ...record, payloadDigest: (await toSeal()).seal("request", "", record.payloadDigest) };
      default:
        return record;
    }
  }

  async #opened(threadId: ThreadId, entry: JournalEntry): Promise<JournalEntry> {
    const { record } = entry;
    if (record.type !== "request-rendered" || !isEnvelope(record.payloadDigest)) return entry;
    try {
      const sealer = await this.#sealers.toOpen(threadId);
      const payloadDigest = await sealer.open("request", "", record.payloadDigest);
      return freezeDeep({ ...entry, record: { ...record, payloadDigest } });
    } catch (error) {
      // Of an erased thread the record stays as proof, closed.
      if (ThreadfoldError.isInstance(error) && error.code === "CONTENT_ERASED") return entry;
      throw error;
    }
  }
}
