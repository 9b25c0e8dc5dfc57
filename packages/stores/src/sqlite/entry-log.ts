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
  type ThreadEntry,
} from "@threadfold/core";
import { endAfter, idsOf, type LogEnd, START_OF_LOG } from "../rules/log-end.ts";
import { between, entryKey, LAST_VERSION } from "./entry-key.ts";
import { entryOfMessage, notedUpTo } from "./noted-places.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

const END = `SELECT version, messages, turn, step, link FROM entries
  WHERE ${between("?1", "0", "?2")} ORDER BY entry_key DESC LIMIT 1`;
const BODIES = `SELECT body FROM entries WHERE ${between("?1", "?2", "?3")} ORDER BY entry_key`;
const BODY_OF_MESSAGE = entryOfMessage("body");
const PLACE_OF_MESSAGE = entryOfMessage("version, messages - 1 AS ordinal");
// Ids are read as bytes, because a text ends at its first NUL on some Node versions.
const MESSAGES_BETWEEN = `SELECT CAST(message_id AS BLOB) AS id, messages - 1 AS ordinal FROM entries
  WHERE ${between("?1", "?2 - 1", "?3")} AND message_id IS NOT NULL ORDER BY entry_key`;
// Without being told, SQLite would walk the thread for the sake of the order.
const PIN_VERSIONS =
  "SELECT version FROM entries INDEXED BY entries_by_pin WHERE thread_key = ? AND pin_id IS NOT NULL";
const LAST_OF_PIN =
  "SELECT kind, body FROM entries WHERE thread_key = ? AND pin_id = ? ORDER BY entry_key DESC LIMIT 1";
const INSERT_ENTRY = `INSERT INTO entries
  (entry_key, kind, message_id, pin_id, messages, turn, step, digest, link, appended_at, body)
  VALUES (${entryKey("?", "?")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The rows of threads' entries. */
export class EntryLog {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Where the thread ends, or ended when it had so many entries. */
  end(threadKey: number, atVersion: number = LAST_VERSION): LogEnd {
    return this.#connection.get<LogEnd>(END, threadKey, Math.min(atVersion, LAST_VERSION)) ?? START_OF_LOG;
  }

  /** The canonical JSON of a thread's entries from one version up to another, oldest first. */
  bodies(threadKey: number, fromVersion: number, toVersion: number): readonly string[] {
    return this.#connection.all<{ body: string }>(BODIES, threadKey, fromVersion, toVersion).map(({ body }) => body);
  }

  /** The messages among the entries of a part of a log, without their bodies. */
  messagesOf(
    threadKey: number,
    { fromVersion, toVersion }: Pick<MessageRun, "fromVersion" | "toVersion">,
  ): readonly PlacedMessage[] {
    return this.#connection
      .all<{ id: Uint8Array; ordinal: number }>(MESSAGES_BETWEEN, threadKey, fromVersion, toVersion)
      .map(({ id, ordinal }) => ({ id: asMessageId(Buffer.from(id).toString("utf8")), ordinal }));
  }

  /** The thread's versions with each of its pins and liftings, ascending. */
  pinVersions(threadKey: number): readonly number[] {
    const rows = this.#connection.all<{ version: number }>(PIN_VERSIONS, threadKey);
    return rows.map(({ version }) => version).sort((a, b) => a - b);
  }

  /** The ids of the newest messages, whose places are not noted yet. */
  recentIds(threadKey: number, { version: toVersion }: LogEnd): readonly MessageId[] {
    const fromVersion = notedUpTo(toVersion) + 1;
    return this.messagesOf(threadKey, { fromVersion, toVersion }).map(({ id }) => id);
  }

  message(threadKey: number, id: MessageId): Message | undefined {
    const row = this.#connection.get<{ body: string }>(BODY_OF_MESSAGE, threadKey, id);
    return row === undefined ? undefined : (parseJson(row.body) as { message: Message }).message;
  }

  /** Where a message stands in the thread. */
  placeOf(threadKey: number, id: MessageId): MessagePlace | undefined {
    return this.#connection.get<MessagePlace>(PLACE_OF_MESSAGE, threadKey, id);
  }

  livePin(threadKey: number, id: PinId): Pin | undefined {
    const row = this.#connection.get<{ kind: string; body: string }>(LAST_OF_PIN, threadKey, id);
    return row?.kind === "pin" ? (parseJson(row.body) as { pin: Pin }).pin : undefined;
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
