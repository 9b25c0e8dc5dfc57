import {
  asMessageId,
  type Message,
  type MessageId,
  type MessagePlace,
  type MessageRun,
  nextThreadLink,
  type Pin,
  type PinId,
  type PlacedMessage,
  parseJson,
  serializeEntry,
  sha256,
  type ThreadEntry,
  ThreadfoldError,
} from "@threadfold/core";
import { endAfter, idsOf, type LogEnd, START_OF_LOG } from "../rules/log-end.ts";
import { between, entryKey, LAST_VERSION } from "./entry-key.ts";
import { entryOfMessage, notedUpTo } from "./noted-places.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";

const END = query<LogEnd>(
  `SELECT version, messages, turn, step, link FROM entries
  WHERE ${between(":thread", "0", ":upTo")} ORDER BY entry_key DESC LIMIT 1`,
  { version: "integer", messages: "integer", turn: "integer", step: "integer", link: "text" },
);
const BODIES = query<{ body: string }>(
  `SELECT body FROM entries WHERE ${between(":thread", ":after", ":upTo")} ORDER BY entry_key`,
  { body: "text" },
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
const MESSAGES_BETWEEN = query<{ id: Uint8Array; ordinal: number }>(
  `SELECT CAST(message_id AS BLOB) AS id, messages - 1 AS ordinal FROM entries
  WHERE ${between(":thread", ":first - 1", ":last")} AND message_id IS NOT NULL ORDER BY entry_key`,
  { id: "bytes", ordinal: "integer" },
);
// Without being told, SQLite would walk the thread for the sake of the order.
const PIN_VERSIONS = query<{ version: number }>(
  "SELECT version FROM entries INDEXED BY entries_by_pin WHERE thread_key = ? AND pin_id IS NOT NULL",
  { version: "integer" },
);
const LAST_OF_PIN = query<StoredBody>(
  "SELECT body, digest FROM entries WHERE thread_key = ? AND pin_id = ? ORDER BY entry_key DESC LIMIT 1",
  { body: "text", digest: "text" },
);
const INSERT_ENTRY = `INSERT INTO entries
  (entry_key, kind, message_id, pin_id, messages, turn, step, digest, link, appended_at, body)
  VALUES (${entryKey("?", "?")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface StoredBody {
  readonly body: string;
  readonly digest: string;
}

/** The rows of threads' entries. */
export class EntryLog {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Where the thread ends, or ended when it had so many entries. */
  end(threadKey: number, atVersion: number = LAST_VERSION): LogEnd {
    return this.#connection.get(END, { thread: threadKey, upTo: Math.min(atVersion, LAST_VERSION) }) ?? START_OF_LOG;
  }

  /** The canonical JSON of a thread's entries from one version up to another, oldest first. */
  bodies(threadKey: number, fromVersion: number, toVersion: number): readonly string[] {
    const rows = this.#connection.all(BODIES, { thread: threadKey, after: fromVersion, upTo: toVersion });
    return rows.map(({ body }) => body);
  }

  /** The messages among the entries of a part of a log, without their bodies. */
  messagesOf(
    threadKey: number,
    { fromVersion, toVersion }: Pick<MessageRun, "fromVersion" | "toVersion">,
  ): readonly PlacedMessage[] {
    const rows = this.#connection.all(MESSAGES_BETWEEN, { thread: threadKey, first: fromVersion, last: toVersion });
    return rows.map(({ id, ordinal }) => ({ id: asMessageId(Buffer.from(id).toString("utf8")), ordinal }));
  }

  /** The thread's versions with each of its pins and liftings, ascending. */
  pinVersions(threadKey: number): readonly number[] {
    const rows = this.#connection.all(PIN_VERSIONS, threadKey);
    return rows.map(({ version }) => version).sort((a, b) => a - b);
  }

  /** The ids of the newest messages, whose places are not noted yet. */
  recentIds(threadKey: number, { version: toVersion }: LogEnd): readonly MessageId[] {
    const fromVersion = notedUpTo(toVersion) + 1;
    return this.messagesOf(threadKey, { fromVersion, toVersion }).map(({ id }) => id);
  }

  /** A message of the thread. @throws ThreadfoldError `STORE_CORRUPT` when it is not what was appended. */
  message(threadKey: number, id: MessageId): Message | undefined {
    const row = this.#connection.get(MESSAGE, { thread: threadKey, message: id });
    if (row === undefined) return undefined;
    const entry = entryOf(row);
    if (entry.type === "message" && entry.message.id === id) return entry.message;
    throw new ThreadfoldError("STORE_CORRUPT", `Message ${id} is kept as another entry.`, { details: { id } });
  }

  /** Where a message stands in the thread. */
  placeOf(threadKey: number, id: MessageId): MessagePlace | undefined {
    return this.#connection.get(PLACE_OF_MESSAGE, { thread: threadKey, message: id });
  }

  /** A pin that holds. @throws ThreadfoldError `STORE_CORRUPT` when it is not what was appended. */
  livePin(threadKey: number, id: PinId): Pin | undefined {
    const row = this.#connection.get(LAST_OF_PIN, threadKey, id);
    const entry = row === undefined ? undefined : entryOf(row);
    return entry?.type === "pin" ? entry.pin : undefined;
  }

  /** Adds entries at the end, and gives the new end. */
  add(threadKey: number, end: LogEnd, entries: readonly ThreadEntry[], appendedAt: number): LogEnd {
    return entries.reduce((before, entry) => this.#insert(threadKey, before, entry, appendedAt), end);
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

function entryOf({ body, digest }: StoredBody): ThreadEntry {
  if (sha256(body) === digest) return parseJson(body) as ThreadEntry;
  throw new ThreadfoldError("STORE_CORRUPT", "The body of an entry does not match its digest.", {
    details: { digest },
  });
}
