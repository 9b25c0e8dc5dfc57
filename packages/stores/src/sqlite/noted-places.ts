import { entryKey, inThread, LAST_VERSION } from "./entry-key.ts";

/** Entries whose messages are noted at once in the table of places. A power of two. */
export const NOTED_AT_A_TIME = 32;

/** The version up to which the places of a thread's messages are noted when it ends at another one. */
export const notedUpTo = (version: number): number => version - (version % NOTED_AT_A_TIME);

/** SQL for columns of the entry with message `:message` of thread `:thread`: where it was noted, else among the newest. */
export function entryOfMessage(columns: string): string {
  const noted = `SELECT ${entryKey("thread_key", "version")} FROM message_places WHERE thread_key = :thread AND message_id = :message`;
  const newest = `SELECT max(entry_key) & -${NOTED_AT_A_TIME} FROM entries WHERE ${inThread(":thread")}`;
  return `SELECT ${columns} FROM entries WHERE entry_key = (${noted})
    UNION ALL
    SELECT ${columns} FROM entries
      WHERE entry_key > (${newest}) AND entry_key <= ${entryKey(":thread", `${LAST_VERSION}`)} AND message_id = :message
    LIMIT 1`;
}

/** SQL that finds a row when the noted places are not those of the entries. */
export const MISPLACED = `
  SELECT 1 AS found FROM message_places AS noted
    LEFT JOIN entries ON entry_key = ${entryKey("noted.thread_key", "noted.version")}
    WHERE entries.message_id IS NOT noted.message_id
  UNION ALL
  SELECT 1 FROM threads JOIN entries ON ${inThread("threads.thread_key")}
    LEFT JOIN message_places AS noted ON noted.thread_key = threads.thread_key AND noted.message_id = entries.message_id
    WHERE entries.message_id IS NOT NULL AND noted.version IS NOT entries.version
      AND entry_key <= (SELECT max(entry_key) & -${NOTED_AT_A_TIME} FROM entries WHERE ${inThread("threads.thread_key")})
  LIMIT 1`;
