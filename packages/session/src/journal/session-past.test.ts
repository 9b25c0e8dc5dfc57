import { type AuditJournal, asThreadId, type JournalEntry, nextJournalEntry } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { journalTail } from "./session-past.ts";

const threadId = asThreadId("t");
const at = "2026-01-01T00:00:00.000Z";

function journalOf(length: number): { readonly journal: AuditJournal; readonly reads: () => number } {
  const entries: JournalEntry[] = [];
  for (let index = 0; index < length; index++) {
    const record = { type: "entries-appended", threadVersion: index, threadDigest: "d" } as const;
    entries.push(nextJournalEntry(entries.at(-1) ?? null, threadId, record, at));
  }
  let reads = 0;
  const journal: AuditJournal = {
    append: () => Promise.reject(new Error("nothing is written here")),
    read: async (_threadId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) => {
      reads++;
      return entries.slice(after, after + limit);
    },
  };
  return { journal, reads: () => reads };
}

describe("journalTail", () => {
  it("gives the end of the journal in few reads, however much of its length is known", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(700), fc.integer({ min: 1, max: 40 }), fc.nat(700), async (length, count, seen) => {
        const { journal, reads } = journalOf(length);
        const tail = await journalTail(journal, threadId, count, Math.min(seen, length));
        const expected = Array.from({ length }, (_, index) => index + 1).slice(-count);
        expect(tail.map(({ sequence }) => sequence)).toEqual(expected);
        expect(reads()).toBeLessThanOrEqual(3 + 2 * Math.ceil(Math.log2(length + 2)));
      }),
      runs(60),
    );
  });
});
