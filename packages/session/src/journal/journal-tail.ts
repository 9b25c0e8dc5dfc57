import type { AuditJournal, JournalEntry, ThreadId } from "@threadfold/core";

/**
 * The newest entries of a journal, oldest first, without reading the rest: its end is found by doubling and halving, in
 * a number of single reads that grows with the logarithm of its length (P9).
 *
 * @param known the number of an entry that is known to be there; 0 when none is.
 */
export async function journalTail(
  journal: AuditJournal,
  threadId: ThreadId,
  count: number,
  known = 0,
): Promise<readonly JournalEntry[]> {
  const exists = async (sequence: number): Promise<boolean> =>
    (await journal.read(threadId, { after: sequence - 1, limit: 1 })).length > 0;
  let there = known;
  let stride = count;
  while (await exists(there + stride)) {
    there += stride;
    stride *= 2;
  }
  let gone = there + stride;
  while (gone - there > count) {
    const middle = Math.floor((there + gone) / 2);
    if (await exists(middle)) there = middle;
    else gone = middle;
  }
  const entries = await journal.read(threadId, { after: Math.max(0, there - count), limit: 2 * count });
  return entries.slice(-count);
}
