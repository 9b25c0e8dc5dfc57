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
  type Steps,
  serializeEntry,
  type ThreadEntry,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { HiddenMessages, readableRuns } from "../shared/plans.ts";
import { isPlainText, MAY_BE_SEALED } from "../shared/store-basics.ts";
import { endAfter, idsOf, type KeptIds, type LogEnd, type NamedIds, START_OF_LOG } from "../shared/threads.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { textKey, textOfKey } from "./schema.ts";

const END =
  "SELECT version, messages, turn, step, link FROM @.entries WHERE thread_key = $1 AND version <= $2 ORDER BY version DESC LIMIT 1";
/** SQL for the first entry of thread `$1` if it may be sealed. */
export const SEALED_START = `(SELECT body FROM @.entry_bodies WHERE thread_key = $1 AND version = 1 AND ${MAY_BE_SEALED}) AS sealed`;
// One statement for both, to save a round trip on each append.
const END_AND_START = `SELECT version, messages, turn, step, link, ${SEALED_START}
  FROM @.entries WHERE thread_key = $1 ORDER BY version DESC LIMIT 1`;
const BODIES =
  "SELECT body FROM @.entry_bodies WHERE thread_key = $1 AND version > $2 AND version <= $3 ORDER BY version";
const MESSAGES = `SELECT message_id, body FROM @.entries JOIN @.entry_bodies USING (thread_key, version)
  WHERE thread_key = $1 AND message_id = ANY ($2::text[])`;
const PLACES = `SELECT message_id, version, messages - 1 AS ordinal FROM @.entries
  WHERE thread_key = $1 AND message_id = ANY ($2::text[])`;
const MESSAGES_BETWEEN = `SELECT message_id, messages - 1 AS ordinal, version FROM @.entries
  WHERE thread_key = $1 AND version BETWEEN $2 AND $3 AND message_id IS NOT NULL ORDER BY version`;
// Sorted in this process, so that the server need not walk the thread for their order.
const PIN_VERSIONS = "SELECT version FROM @.entries WHERE thread_key = $1 AND pin_id IS NOT NULL";
const KEPT = `SELECT message_id, pin_id FROM @.entries
  WHERE thread_key = $1 AND (message_id = ANY ($2::text[]) OR pin_id = ANY ($3::text[]))`;
const PINS = `SELECT DISTINCT ON (pin_id) kind, body FROM @.entries JOIN @.entry_bodies USING (thread_key, version)
  WHERE thread_key = $1 AND pin_id = ANY ($2::text[]) ORDER BY pin_id, version DESC`;
// One statement, to save a round trip on each append.
const INSERT_ENTRIES = `WITH bodies AS (
    INSERT INTO @.entry_bodies (thread_key, tenant, version, body)
    SELECT $1, $2, version, body FROM unnest($4::bigint[], $13::text[]) AS fresh (version, body))
  INSERT INTO @.entries
    (thread_key, tenant, appended_at, version, kind, message_id, pin_id, messages, turn, step, digest, link)
  SELECT $1, $2, $3, fresh.* FROM unnest($4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
    $10::bigint[], $11::text[], $12::text[])
    AS fresh (version, kind, message_id, pin_id, messages, turn, step, digest, link) ORDER BY version`;

/** Returns the end of a thread, now or when it had this many entries. */
export async function readEnd(
  session: SqlSession,
  threadKey: number,
  atVersion: number = Number.MAX_SAFE_INTEGER,
): Promise<LogEnd> {
  return (await session.query<LogEnd>(END, [threadKey, atVersion]))[0] ?? START_OF_LOG;
}

/** Returns the end of a thread now; and its first entry if that may be sealed, unless sealed entries are to follow. */
export async function readEndAndStart(
  session: SqlSession,
  threadKey: number,
  areSealed: boolean,
): Promise<{ readonly end: LogEnd; readonly first?: ThreadEntry }> {
  if (areSealed) return { end: await readEnd(session, threadKey) };
  const [row] = await session.query<LogEnd & { sealed: string | null }>(END_AND_START, [threadKey]);
  if (row === undefined) return { end: START_OF_LOG };
  const { sealed, ...end } = row;
  return sealed === null ? { end } : { end, first: sealedStartIn(sealed) };
}

/** Returns the entry that {@link SEALED_START} found. */
export const sealedStartIn = (sealed: string): ThreadEntry => entryIn(sealed) as ThreadEntry;

/** Returns the canonical JSON of a thread's entries after one version up to another, oldest first. */
export async function readBodies(
  session: SqlSession,
  threadKey: number,
  fromVersion: number,
  toVersion: number,
): Promise<readonly string[]> {
  return (await session.query<{ body: string }>(BODIES, [threadKey, fromVersion, toVersion])).map(({ body }) => body);
}

/** Returns the thread versions of its pins and pin liftings, ascending. */
export async function readPinVersions(session: SqlSession, threadKey: number): Promise<readonly number[]> {
  const rows = await session.query<{ version: number }>(PIN_VERSIONS, [threadKey]);
  return rows.map(({ version }) => version).sort((a, b) => a - b);
}

/**
 * Reads the messages that a plan's body covers without naming them, and returns a function to look them up.
 *
 * @param known the messages that were read for other plans of the thread.
 */
export async function readHidden(
  session: SqlSession,
  threadKey: number,
  body: string,
  known = new HiddenMessages(),
): Promise<(run: MessageRun) => readonly PlacedMessage[]> {
  const unread = known.unread(readableRuns(body));
  if (unread !== null) {
    type Row = { readonly message_id: string; readonly ordinal: number; readonly version: number };
    const rows = await session.query<Row>(MESSAGES_BETWEEN, [threadKey, unread.fromVersion, unread.toVersion]);
    const messages = rows.map(({ message_id: key, ...places }) => ({ id: asMessageId(textOfKey(key)), ...places }));
    known.add(messages, unread);
  }
  return (run) => known.in(run);
}

/** Returns the messages of a thread that have one of the ids. */
export async function readMessages(
  session: SqlSession,
  threadKey: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Message>> {
  if (ids.length === 0) return new Map();
  const rows = await session.query<{ message_id: string; body: string }>(MESSAGES, [threadKey, ids.map(textKey)]);
  return new Map(
    rows.map(({ message_id: key, body }) => [textOfKey(key), (entryIn(body) as { message: Message }).message]),
  );
}

/** Returns the place of each of the messages in the thread. */
export async function readPlaces(
  session: SqlSession,
  threadKey: number,
  ids: readonly MessageId[],
): Promise<ReadonlyMap<string, MessagePlace>> {
  if (ids.length === 0) return new Map();
  type Row = MessagePlace & { readonly message_id: string };
  const rows = await session.query<Row>(PLACES, [threadKey, ids.map(textKey)]);
  return new Map(rows.map(({ message_id: key, version, ordinal }) => [textOfKey(key), { version, ordinal }]));
}

/** Returns the live pins that have one of the ids. */
export async function readLivePins(
  session: SqlSession,
  threadKey: number,
  ids: readonly string[],
): Promise<ReadonlyMap<PinId, Pin>> {
  if (ids.length === 0) return new Map();
  const rows = await session.query<{ kind: string; body: string }>(PINS, [threadKey, ids.map(textKey)]);
  const live = rows.filter(({ kind }) => kind === "pin").map(({ body }) => (entryIn(body) as { pin: Pin }).pin);
  return new Map(live.map((pin) => [pin.id, pin]));
}

/** Returns for which of the ids the thread has entries. */
export async function readKept(
  session: SqlSession,
  threadKey: number,
  { messageIds, pinIds }: NamedIds,
): Promise<KeptIds> {
  type Row = { readonly message_id: string | null; readonly pin_id: string | null };
  const rows = await session.query<Row>(KEPT, [threadKey, messageIds.map(textKey), pinIds.map(textKey)]);
  const messages = new Set(rows.map(({ message_id: key }) => key));
  const pins = new Set(rows.map(({ pin_id: key }) => key));
  return { message: (id) => messages.has(textKey(id)), pin: (id) => pins.has(textKey(id)) };
}

/** The row of an entry: the end of the thread with it, and the entry. */
interface EntryRow extends LogEnd {
  readonly kind: ThreadEntry["type"];
  readonly message: string | null;
  readonly pin: string | null;
  readonly digest: string;
  readonly body: string;
}

/** Returns the rows of entries that follow a thread's end, in steps. */
export function* entryRows(entries: readonly ThreadEntry[], before: LogEnd): Steps<readonly EntryRow[]> {
  let end = before;
  const rows: EntryRow[] = [];
  for (const entry of entries) {
    const { body, digest } = serializeEntry(entry);
    end = endAfter(end, entry, nextThreadLink(end.link, digest));
    const { messageId, pinId } = idsOf(entry);
    rows.push({ ...end, kind: entry.type, message: keyOf(messageId), pin: keyOf(pinId), digest, body });
    yield;
  }
  return rows;
}

/** Adds rows at a thread's end, in one statement however many there are, and returns the new end. */
export async function addEntries(
  session: SqlSession,
  thread: { readonly key: number; readonly tenant: string; readonly end: LogEnd },
  rows: readonly EntryRow[],
  appendedAt: number,
): Promise<LogEnd> {
  const end = rows.at(-1);
  if (end === undefined) return thread.end;
  const { key, tenant } = thread;
  await session.query(INSERT_ENTRIES, [
    key,
    tenant,
    appendedAt,
    rows.map(({ version }) => version),
    rows.map(({ kind }) => kind),
    rows.map(({ message }) => message),
    rows.map(({ pin }) => pin),
    rows.map(({ messages }) => messages),
    rows.map(({ turn }) => turn),
    rows.map(({ step }) => step),
    rows.map(({ digest }) => digest),
    rows.map(({ link }) => link),
    rows.map(({ body }) => body),
  ]);
  return end;
}

/** Parses an entry that is read on the way to another one, without checking its digest. */
function entryIn(body: string): unknown {
  try {
    return parseJson(body);
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", "An entry's body is not what was stored.", { cause });
  }
}

const keyOf = (id: string | null): string | null => (id === null ? null : textKey(id));

/** Number of keys remembered. Looking one up again is cheap; remembering every thread of a large store is not. */
const REMEMBERED = 4_096;
const FIND = "SELECT thread_key FROM @.threads WHERE tenant = $1 AND thread_id = $2";
const INSERT =
  "INSERT INTO @.threads (tenant, thread_id) VALUES ($1, $2) ON CONFLICT (tenant, thread_id) DO NOTHING RETURNING thread_key";

/** Maps the long ids of threads to the small keys by which rows name them, which never change. */
export class PostgresThreadKeys {
  readonly #connection: PostgresConnection;
  readonly #known = new Map<ThreadId, number>();

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  /** Returns the key of a thread of this tenant that the store knows. */
  async find(session: SqlSession, threadId: ThreadId): Promise<number | undefined> {
    const known = this.#known.get(threadId);
    if (known !== undefined) return known;
    // PostgreSQL never stored what it cannot represent, and would read some of it as another id.
    if (!isPlainText(threadId)) return undefined;
    const key = await this.#read(session, threadId);
    if (key !== undefined) this.#remember(threadId, key);
    return key;
  }

  /** Returns the key of a thread, assigned if new. A new key is not remembered, because it may still be rolled back. */
  async place(session: SqlSession, threadId: ThreadId): Promise<number> {
    const known = await this.find(session, threadId);
    if (known !== undefined) return known;
    const [row] = await session.query<{ thread_key: number }>(INSERT, [this.#connection.tenant, threadId]);
    return row?.thread_key ?? ((await this.#read(session, threadId)) as number);
  }

  async #read(session: SqlSession, threadId: ThreadId): Promise<number | undefined> {
    const [row] = await session.query<{ thread_key: number }>(FIND, [this.#connection.tenant, threadId]);
    return row?.thread_key;
  }

  #remember(threadId: ThreadId, key: number): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(threadId, key);
  }
}
