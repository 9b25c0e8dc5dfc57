import {
  asMessageId,
  finishSteps,
  type Message,
  type MessageId,
  type MessagePlace,
  nextThreadLink,
  type Pin,
  type PinId,
  parseJson,
  type Steps,
  serializeEntry,
  sha256,
  type ThreadEntry,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import type { LoggedMessage, LogPart } from "../shared/plans.ts";
import { isPlainText, MAY_BE_SEALED } from "../shared/store-basics.ts";
import { endAfter, idsOf, type KeptIds, type LogEnd, START_OF_LOG } from "../shared/threads.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";

/** The highest version that a thread can have, and the highest sequence in its journal: a key has room for no more. */
export const LAST_VERSION = 0xff_ff_ff_ff;

/** Columns that are the key of their table: the place of an entry in its thread, and of a record in its journal. */
export type PlaceKey = "entry_key" | "record_key";

/**
 * Returns SQL for the key at a place: the thread's key in the upper half, the version or sequence in the lower 32 bits.
 * SQLite does the shift, because such keys exceed what a JavaScript number represents exactly.
 */
export const keyAt = (threadKey: string, place: string): string => `(${threadKey} << 32) + ${place}`;

/** Returns SQL for the rows of a thread after one place, up to another. It reads one part of the table in order. */
export const between = (threadKey: string, after: string, upTo: string, key: PlaceKey = "entry_key"): string =>
  `${key} > ${keyAt(threadKey, after)} AND ${key} <= ${keyAt(threadKey, upTo)}`;

/** Returns SQL for all rows of a thread. */
export const inThread = (threadKey: string, key: PlaceKey = "entry_key"): string =>
  between(threadKey, "0", `${LAST_VERSION}`, key);

/** Number of entries whose messages are noted at once in the table of places. A power of two. */
export const NOTED_AT_A_TIME = 32;

/** Returns the version up to which the places of a thread's messages are noted when the thread ends at this version. */
export const notedUpTo = (version: number): number => version - (version % NOTED_AT_A_TIME);

/**
 * Returns SQL for columns of the entry with message `:message` of thread `:thread`: at its noted place, else among the
 * newest.
 */
function entryOfMessage(columns: string): string {
  const noted = `SELECT ${keyAt("thread_key", "version")} FROM message_places WHERE thread_key = :thread AND message_id = :message`;
  const newest = `SELECT max(entry_key) & -${NOTED_AT_A_TIME} FROM entries WHERE ${inThread(":thread")}`;
  return `SELECT ${columns} FROM entries WHERE entry_key = (${noted})
    UNION ALL
    SELECT ${columns} FROM entries
      WHERE entry_key > (${newest}) AND entry_key <= ${keyAt(":thread", `${LAST_VERSION}`)} AND message_id = :message
    LIMIT 1`;
}

const END = query<LogEnd>(
  `SELECT version, messages, turn, step, link FROM entries
  WHERE ${between(":thread", "0", ":upTo")} ORDER BY entry_key DESC LIMIT 1`,
  { version: "integer", messages: "integer", turn: "integer", step: "integer", link: "text" },
);
const BODIES = query<{ body: string }>(
  `SELECT body FROM entries WHERE ${between(":thread", ":after", ":upTo")} ORDER BY entry_key`,
  { body: "text" },
);
const SEALED_START = query<StoredBody>(
  `SELECT body, digest FROM entries WHERE entry_key = ${keyAt(":thread", "1")} AND ${MAY_BE_SEALED}`,
  { body: "text", digest: "text" },
);
const MESSAGE = query<StoredBody>(entryOfMessage("body, digest"), {
  body: "text",
  digest: "text",
});
const PLACE_OF_MESSAGE = query<MessagePlace>(entryOfMessage("version, messages - 1 AS ordinal"), {
  version: "integer",
  ordinal: "integer",
});
// Ids are read as bytes, because a text ends at its first NUL on some Node versions.
const MESSAGES_BETWEEN = query<{ id: Uint8Array; ordinal: number; version: number }>(
  `SELECT CAST(message_id AS BLOB) AS id, messages - 1 AS ordinal, version FROM entries
  WHERE ${between(":thread", ":first - 1", ":last")} AND message_id IS NOT NULL ORDER BY entry_key`,
  { id: "bytes", ordinal: "integer", version: "integer" },
);
// Without the hint, SQLite would walk the whole thread to get the order.
const PIN_VERSIONS = query<{ version: number }>(
  "SELECT version FROM entries INDEXED BY entries_by_pin WHERE thread_key = ? AND pin_id IS NOT NULL",
  { version: "integer" },
);
const LAST_OF_PIN = query<StoredBody>(
  "SELECT body, digest FROM entries WHERE thread_key = ? AND pin_id = ? ORDER BY entry_key DESC LIMIT 1",
  { body: "text", digest: "text" },
);
const HAS_PIN = query<{ found: number }>("SELECT 1 AS found FROM entries WHERE thread_key = ? AND pin_id = ? LIMIT 1", {
  found: "integer",
});
const INSERT_ENTRY = `INSERT INTO entries
  (entry_key, kind, message_id, pin_id, messages, turn, step, digest, link, appended_at, body)
  VALUES (${keyAt("?", "?")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface StoredBody {
  readonly body: string;
  readonly digest: string;
}

/** Number of entries read at once, and of ids alone. */
const READ_AT_A_TIME = 256;
const IDS_AT_A_TIME = 1_024;

/** Reads and adds the rows of threads' entries. */
export class EntryLog {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Returns the end of the thread, now or when it had this many entries. */
  end(threadKey: number, atVersion: number = LAST_VERSION): LogEnd {
    return this.#connection.get(END, { thread: threadKey, upTo: Math.min(atVersion, LAST_VERSION) }) ?? START_OF_LOG;
  }

  /** Returns the first entry of a thread if it may be sealed. @throws ThreadfoldError `STORE_CORRUPT`. */
  sealedStart(threadKey: number): ThreadEntry | undefined {
    const row = this.#connection.get(SEALED_START, { thread: threadKey });
    return row && entryOf(row);
  }

  /** Returns the canonical JSON of a thread's entries after one version up to another, oldest first. */
  bodies(threadKey: number, fromVersion: number, toVersion: number): readonly string[] {
    return finishSteps(this.bodiesInSteps(threadKey, fromVersion, toVersion));
  }

  /** Does what {@link bodies} does, in steps: entries never change, so they need not be read at once. */
  *bodiesInSteps(threadKey: number, fromVersion: number, toVersion: number): Steps<readonly string[]> {
    const bodies: string[] = [];
    for (let after = fromVersion; after < toVersion; after += READ_AT_A_TIME) {
      const upTo = Math.min(after + READ_AT_A_TIME, toVersion);
      for (const { body } of this.#connection.all(BODIES, { thread: threadKey, after, upTo })) bodies.push(body);
      yield;
    }
    return bodies;
  }

  /** Returns the messages in a part of a log, without their bodies. */
  messagesOf(threadKey: number, { fromVersion, toVersion }: LogPart): readonly LoggedMessage[] {
    const rows = this.#connection.all(MESSAGES_BETWEEN, { thread: threadKey, first: fromVersion, last: toVersion });
    return rows.map(({ id, ordinal, version }) => ({ id: asMessageId(textOf(id)), ordinal, version }));
  }

  /** Does what {@link messagesOf} does, in steps. */
  *messagesInSteps(threadKey: number, { fromVersion, toVersion }: LogPart): Steps<readonly LoggedMessage[]> {
    const messages: LoggedMessage[] = [];
    for (let first = fromVersion; first <= toVersion; first += IDS_AT_A_TIME) {
      const last = Math.min(first + IDS_AT_A_TIME - 1, toVersion);
      for (const message of this.messagesOf(threadKey, { fromVersion: first, toVersion: last })) messages.push(message);
      yield;
    }
    return messages;
  }

  /** Returns the thread versions of its pins and pin liftings, ascending. */
  pinVersions(threadKey: number): readonly number[] {
    const rows = this.#connection.all(PIN_VERSIONS, threadKey);
    return rows.map(({ version }) => version).sort((a, b) => a - b);
  }

  /** Returns the ids of the newest messages, whose places are not noted yet. */
  recentIds(threadKey: number, { version: toVersion }: LogEnd): readonly MessageId[] {
    const fromVersion = notedUpTo(toVersion) + 1;
    return this.messagesOf(threadKey, { fromVersion, toVersion }).map(({ id }) => id);
  }

  /** Returns a message of the thread. @throws ThreadfoldError `STORE_CORRUPT` when it is not what was appended. */
  message(threadKey: number, id: MessageId): Message | undefined {
    const row = this.#connection.get(MESSAGE, { thread: threadKey, message: id });
    if (row === undefined) return undefined;
    const entry = entryOf(row);
    if (entry.type === "message" && entry.message.id === id) return entry.message;
    throw new ThreadfoldError("STORE_CORRUPT", `Message ${id} is stored as a different entry.`, { details: { id } });
  }

  /** Returns the place of a message in the thread. */
  placeOf(threadKey: number, id: MessageId): MessagePlace | undefined {
    return this.#connection.get(PLACE_OF_MESSAGE, { thread: threadKey, message: id });
  }

  /** Returns a pin that is in force. @throws ThreadfoldError `STORE_CORRUPT` when it is not what was appended. */
  livePin(threadKey: number, id: PinId): Pin | undefined {
    const row = this.#connection.get(LAST_OF_PIN, threadKey, id);
    const entry = row === undefined ? undefined : entryOf(row);
    return entry?.type === "pin" ? entry.pin : undefined;
  }

  /** Tells which ids the thread has entries for. */
  kept(threadKey: number): KeptIds {
    return {
      message: (id) => this.placeOf(threadKey, id) !== undefined,
      pin: (id) => this.#connection.get(HAS_PIN, threadKey, id) !== undefined,
    };
  }

  /** Adds entries at the end, in steps, and returns the new end. */
  *addInSteps(threadKey: number, before: LogEnd, entries: readonly ThreadEntry[], appendedAt: number): Steps<LogEnd> {
    let end = before;
    for (const entry of entries) {
      end = this.#insert(threadKey, end, entry, appendedAt);
      yield;
    }
    return end;
  }

  #insert(threadKey: number, before: LogEnd, entry: ThreadEntry, appendedAt: number): LogEnd {
    const { body, digest } = serializeEntry(entry);
    const after = endAfter(before, entry, nextThreadLink(before.link, digest));
    const { version, messages, turn, step, link } = after;
    const { messageId, pinId } = idsOf(entry);
    this.#connection.run(
      INSERT_ENTRY,
      threadKey,
      version,
      entry.type,
      messageId,
      pinId,
      messages,
      turn,
      step,
      digest,
      link,
      appendedAt,
      body,
    );
    return after;
  }
}

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("utf8");

function entryOf({ body, digest }: StoredBody): ThreadEntry {
  if (sha256(body) === digest) return parseJson(body) as ThreadEntry;
  throw new ThreadfoldError("STORE_CORRUPT", "The body of an entry does not match its digest.", {
    details: { digest },
  });
}

/** SQL that finds a row when the noted places do not match the entries. */
export const MISPLACED = `
  SELECT 1 AS found FROM message_places AS noted
    LEFT JOIN entries ON entry_key = ${keyAt("noted.thread_key", "noted.version")}
    WHERE entries.message_id IS NOT noted.message_id
  UNION ALL
  SELECT 1 FROM threads JOIN entries ON ${inThread("threads.thread_key")}
    LEFT JOIN message_places AS noted ON noted.thread_key = threads.thread_key AND noted.message_id = entries.message_id
    WHERE entries.message_id IS NOT NULL AND noted.version IS NOT entries.version
      AND entry_key <= (SELECT max(entry_key) & -${NOTED_AT_A_TIME} FROM entries WHERE ${inThread("threads.thread_key")})
  LIMIT 1`;

const FIND = query<{ thread_key: number }>("SELECT thread_key FROM threads WHERE thread_id = ?", {
  thread_key: "integer",
});

/**
 * Number of keys and ends remembered. Looking one up again is cheap; remembering every thread of a large store is not.
 */
const REMEMBERED = 4_096;

/** Maps the long ids of threads to the small keys by which rows name them, which never change. */
export class ThreadKeys {
  readonly #connection: SqliteConnection;
  readonly #known = new Map<ThreadId, number>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Returns the key of a thread that the store knows. */
  find(threadId: ThreadId): number | undefined {
    const known = this.#known.get(threadId);
    if (known !== undefined) return known;
    // SQLite would look for the replacement character in place of a lone surrogate, and find another thread.
    if (!isPlainText(threadId)) return undefined;
    const row = this.#connection.get(FIND, threadId);
    if (row !== undefined) this.#remember(threadId, row.thread_key);
    return row?.thread_key;
  }

  /**
   * Returns the key of a thread, and assigns one if it is new. Call it once within a write transaction: a new key is
   * not remembered before it is read back, because the transaction may still be rolled back.
   */
  place(threadId: ThreadId): number {
    return this.find(threadId) ?? this.#connection.run("INSERT INTO threads (thread_id) VALUES (?)", threadId);
  }

  #remember(threadId: ThreadId, key: number): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(threadId, key);
  }
}

/** The end of a thread as a connection left it. */
export interface KnownEnd {
  readonly end: LogEnd;
  /**
   * Ids of the newest messages, whose places are not noted yet, so that the schema does not refuse them a second time.
   * Absent until needed.
   */
  readonly recent?: Set<MessageId>;
  /** True when the append that left it had sealed entries, so that the thread's first entry may be sealed. */
  readonly mayBeSealed: boolean;
}

/** The ends of the threads that a connection appended to. Another connection may have appended since. */
export class KnownEnds {
  readonly #ends = new Map<number, KnownEnd>();

  of(threadKey: number): KnownEnd | undefined {
    return this.#ends.get(threadKey);
  }

  remember(threadKey: number, known: KnownEnd): void {
    if (this.#ends.size >= REMEMBERED) this.#ends.clear();
    this.#ends.set(threadKey, known);
  }

  forget(threadKey: number): void {
    this.#ends.delete(threadKey);
  }
}

/** Returns a known end after messages were appended there. The set of recent ids is passed on. */
export function afterMessages(
  { end, recent, mayBeSealed }: Required<KnownEnd>,
  added: readonly MessageId[],
  after: LogEnd,
): KnownEnd {
  const noted = notedUpTo(after.version);
  // If this append noted any places, the entries after the noted ones came with it.
  const isNoted = noted > end.version;
  if (isNoted) recent.clear();
  for (const id of isNoted ? added.slice(noted - end.version) : added) recent.add(id);
  return { end: after, recent, mayBeSealed };
}
