/** The highest version that a thread can have: what an entry's key has room for. */
export const LAST_VERSION = 0xff_ff_ff_ff;

/**
 * SQL for the key of an entry: the thread's key in the upper half, the version in the lower 32 bits. SQLite shifts, for
 * such keys exceed what a JavaScript number holds exactly.
 */
export const entryKey = (threadKey: string, version: string): string => `(${threadKey} << 32) + ${version}`;

/** SQL for the entries of a thread that come after one version, up to another. It reads a piece of the table in order. */
export const between = (threadKey: string, after: string, upTo: string): string =>
  `entry_key > ${entryKey(threadKey, after)} AND entry_key <= ${entryKey(threadKey, upTo)}`;

/** SQL for all entries of a thread. */
export const inThread = (threadKey: string): string => between(threadKey, "0", `${LAST_VERSION}`);
