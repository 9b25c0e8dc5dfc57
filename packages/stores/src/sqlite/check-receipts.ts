import { LAST_VERSION } from "./entry-log.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";

/** The newest entry of a receipt's thread stands right before the first place of the next thread. */
const WRONG = query<{ receipts: number }>(
  `SELECT count(*) AS receipts FROM receipts
  WHERE appended < 0 OR appended > version OR version < 0
    OR version > coalesce((SELECT max(entry_key) & ${LAST_VERSION} FROM entries
      WHERE entry_key > receipts.thread_key << 32 AND entry_key <= (receipts.thread_key << 32) + ${LAST_VERSION}), 0)
    OR request_digest <> '' AND (length(request_digest) <> 64 OR request_digest GLOB '*[^0-9a-f]*')
    OR request_digest = '' AND NOT EXISTS (SELECT 1 FROM erasures WHERE thread_key = receipts.thread_key)`,
  { receipts: "integer" },
);

/**
 * Says whether a receipt answers for entries that the thread does not have. An append that is tried again is answered
 * by its receipt, so a forged one makes an append that never was look done.
 */
export function receiptProblems(connection: SqliteConnection): readonly string[] {
  const { receipts = 0 } = connection.get(WRONG) ?? {};
  return receipts === 0 ? [] : [`${receipts} of the receipts of appends speak of what the thread does not have`];
}
