import {
  entryDigest,
  type Message,
  type MessageId,
  nextThreadLink,
  type Pin,
  type PinId,
  serializeEntry,
  THREAD_CHAIN_START,
  type ThreadEntry,
} from "@threadfold/core";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Where a thread ends: all that an append has to know of the entries before it. */
export interface LogEnd {
  readonly version: number;
  readonly messages: number;
  readonly turn: number;
  readonly step: number;
  /** The thread's digest. */
  readonly link: string;
}

const START_OF_LOG: LogEnd = Object.freeze({ version: 0, messages: 0, turn: 0, step: 0, link: THREAD_CHAIN_START });

const END =
  "SELECT version, messages, turn, step, link FROM entries WHERE thread_key = ? AND version <= ? ORDER BY version DESC LIMIT 1";
const BODIES =
  "SELECT body FROM entries JOIN bodies USING (body_key) WHERE thread_key = ? AND version <= ? ORDER BY version";
const BODY_OF_MESSAGE = "SELECT body FROM entries JOIN bodies USING (body_key) WHERE thread_key = ? AND message_id = ?";
const VERSION_OF_MESSAGE = "SELECT version FROM entries WHERE thread_key = ? AND message_id = ?";
const LAST_OF_PIN =
  "SELECT kind, body FROM entries JOIN bodies USING (body_key) WHERE thread_key = ? AND pin_id = ? ORDER BY version DESC LIMIT 1";
const INSERT_BODY = "INSERT INTO bodies (body) VALUES (?)";
const INSERT_ENTRY = `INSERT INTO entries
  (thread_key, version, kind, message_id, pin_id, messages, turn, step, digest, link, appended_at, body_key)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The rows of threads' entries. */
export class EntryLog {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Where the thread ends, or ended when it had so many entries. */
  end(threadKey: number, atVersion: number = Number.MAX_SAFE_INTEGER): LogEnd {
    return this.#connection.get<LogEnd>(END, threadKey, atVersion) ?? START_OF_LOG;
  }

  /** The canonical JSON of a thread's first entries, oldest first. */
  bodies(threadKey: number, upToVersion: number): readonly string[] {
    return this.#connection.all<{ body: string }>(BODIES, threadKey, upToVersion).map(({ body }) => body);
  }

  message(threadKey: number, id: MessageId): Message | undefined {
    const row = this.#connection.get<{ body: string }>(BODY_OF_MESSAGE, threadKey, id);
    return row === undefined ? undefined : (JSON.parse(row.body) as { message: Message }).message;
  }

  /** The thread's version once it had the message. */
  versionOf(threadKey: number, id: MessageId): number | undefined {
    return this.#connection.get<{ version: number }>(VERSION_OF_MESSAGE, threadKey, id)?.version;
  }

  livePin(threadKey: number, id: PinId): Pin | undefined {
    const row = this.#connection.get<{ kind: string; body: string }>(LAST_OF_PIN, threadKey, id);
    return row?.kind === "pin" ? (JSON.parse(row.body) as { pin: Pin }).pin : undefined;
  }

  /** Adds entries at the end, and gives the new end. */
  add(threadKey: number, end: LogEnd, entries: readonly ThreadEntry[], appendedAt: number): LogEnd {
    return entries.reduce((before, entry) => this.#insert(threadKey, before, entry, appendedAt), end);
  }

  #insert(threadKey: number, before: LogEnd, entry: ThreadEntry, appendedAt: number): LogEnd {
    const body = serializeEntry(entry);
    const digest = entryDigest(entry);
    const after = endAfter(before, entry, nextThreadLink(before.link, digest));
    const { version, messages, turn, step, link } = after;
    const { messageId, pinId } = idsOf(entry);
    const bodyKey = this.#connection.run(INSERT_BODY, body);
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
      bodyKey,
    );
    return after;
  }
}

/** Where a thread ends once it has one more entry. */
export function endAfter(before: LogEnd, entry: ThreadEntry, link: string): LogEnd {
  const version = before.version + 1;
  if (entry.type !== "message") return { ...before, version, link };
  const { turn, step, ordinal } = entry.message;
  return { version, messages: ordinal + 1, turn, step, link };
}

/** The ids by which an entry is found. */
export function idsOf(entry: ThreadEntry): { readonly messageId: MessageId | null; readonly pinId: PinId | null } {
  switch (entry.type) {
    case "message":
      return { messageId: entry.message.id, pinId: null };
    case "pin":
      return { messageId: null, pinId: entry.pin.id };
    case "pin-lifted":
      return { messageId: null, pinId: entry.pinId };
  }
}
