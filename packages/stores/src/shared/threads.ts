import {
  type AppendResult,
  type Clock,
  checkArgument,
  digestOf,
  type ExpectedVersion,
  type MessageId,
  type Page,
  type PinId,
  refuseArgument,
  THREAD_CHAIN_START,
  type ThreadEntry,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  type ThreadInfo,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { wholeNumber } from "./store-basics.ts";

/** The end of a thread: all that an append must know about the entries before it. */
export interface LogEnd {
  readonly version: number;
  readonly messages: number;
  readonly turn: number;
  readonly step: number;
  /** The thread's digest. */
  readonly link: string;
}

/** The end of a thread that has no entries. */
export const START_OF_LOG: LogEnd = Object.freeze({
  version: 0,
  messages: 0,
  turn: 0,
  step: 0,
  link: THREAD_CHAIN_START,
});

/** Returns the end of a thread after one more entry. */
export function endAfter(before: LogEnd, entry: ThreadEntry, link: string): LogEnd {
  const version = before.version + 1;
  if (entry.type !== "message") return { ...before, version, link };
  const { turn, step, ordinal } = entry.message;
  return { version, messages: ordinal + 1, turn, step, link };
}

/** Returns the ids by which an entry is found. */
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

/**
 * Checks that the thread is at the version that an append expects. A thread without entries does not exist, so
 * `"no-thread"` and 0 mean the same.
 *
 * @throws ThreadfoldError `VERSION_CONFLICT` with both versions.
 */
export function requireVersion(threadId: ThreadId, actual: number, expected: ExpectedVersion): void {
  if (expected === "any" || actual === (expected === "no-thread" ? 0 : expected)) return;
  const wanted = expected === "no-thread" ? "the thread not to exist yet" : `version ${expected}`;
  throw new ThreadfoldError(
    "VERSION_CONFLICT",
    `Thread ${threadId} is at version ${actual}; the append expects ${wanted}.`,
    {
      details: { threadId, expected, actual },
      ...(expected === "no-thread" && {
        hint: "For a new thread, choose an unused id; to continue this one, open a session on it, or call `await session.refresh()`, and append again.",
      }),
    },
  );
}

/** The record of an idempotency key: what was requested, and the result. */
export interface AppendReceipt {
  /** SHA-256 of the canonical JSON of the entries that were passed in. */
  readonly requestDigest: string;
  readonly result: AppendResult;
}

/** Returns the receipt of an append that has an idempotency key. */
export function receiptFor(inputs: readonly ThreadEntryInput[], result: AppendResult): AppendReceipt {
  return { requestDigest: digestOf(inputs), result };
}

/** The ids of messages and pins that entries name, if any; the entries have not been checked yet. */
export interface NamedIds {
  readonly messageIds: readonly MessageId[];
  readonly pinIds: readonly PinId[];
}

/** Returns the ids that incoming entries name. */
export function idsIn(inputs: readonly ThreadEntryInput[]): NamedIds {
  const messageIds = inputs.map((input) => (input.type === "message" ? input.message?.id : undefined));
  const pinIds = inputs.map((input) =>
    input.type === "pin" ? input.pin?.id : input.type === "pin-lifted" ? input.pinId : undefined,
  );
  return { messageIds: messageIds.filter(isText), pinIds: pinIds.filter(isText) };
}

const isText = <Id extends string>(value: Id | undefined): value is Id =>
  typeof value === "string" && value.isWellFormed();

/** Tells which ids a thread has entries for. */
export interface KeptIds {
  message(id: MessageId): boolean;
  pin(id: PinId): boolean;
}

/**
 * Returns the first result of an append that is retried. A receipt is only a row, and a forged one would make an append
 * that never happened look done, so the thread must have what was requested.
 *
 * @throws ThreadfoldError `IDEMPOTENCY_MISMATCH` when the key was used for other entries, `STORE_CORRUPT` when the
 * thread does not have them.
 */
export function answerRetry(
  threadId: ThreadId,
  receipt: AppendReceipt,
  inputs: readonly ThreadEntryInput[],
  kept: KeptIds,
): AppendResult {
  if (receipt.requestDigest === digestOf(inputs)) {
    const { messageIds, pinIds } = idsIn(inputs);
    if (messageIds.every((id) => kept.message(id)) && pinIds.every((id) => kept.pin(id))) return receipt.result;
    throw new ThreadfoldError(
      "STORE_CORRUPT",
      `The idempotency key belongs to an append that thread ${threadId} does not have.`,
      { hint: "Verify the store; append with another key.", details: { threadId, version: receipt.result.version } },
    );
  }
  throw new ThreadfoldError(
    "IDEMPOTENCY_MISMATCH",
    `The idempotency key belongs to an append of other entries to thread ${threadId}.`,
    { details: { threadId, version: receipt.result.version } },
  );
}

/** A receipt's row in the tables. */
export interface ReceiptRow {
  readonly request_digest: string;
  readonly version: number;
  readonly appended: number;
}

/** Returns the receipt in a row. */
export function receiptOf({ request_digest: requestDigest, version, appended }: ReceiptRow): AppendReceipt {
  return { requestDigest, result: Object.freeze({ version, appended }) };
}

/** A row for the list of threads. Times are milliseconds since the epoch, `archived_at` in ISO 8601; null for none. */
export interface ThreadRow {
  readonly thread_key: number;
  readonly thread_id: string;
  readonly version: number;
  readonly appended_at: number;
  readonly created_at: number;
  readonly plan_version: number | null;
  readonly committed_at: number | null;
  readonly archived_at: string | null;
}

/** Returns a thread's list item. @throws ThreadfoldError `STORE_CORRUPT` when one of its times is not a valid date. */
export function threadInfoOf(row: ThreadRow): ThreadInfo {
  return Object.freeze({
    threadId: row.thread_id as ThreadId,
    version: row.version,
    planVersion: row.plan_version ?? 0,
    createdAt: timeOf(row, row.created_at),
    updatedAt: timeOf(row, Math.max(row.appended_at, row.committed_at ?? 0)),
    ...(row.archived_at !== null && { archivedAt: row.archived_at }),
  });
}

/** The greatest distance of a date from the epoch, in milliseconds. */
const FARTHEST_DATE_MS = 8.64e15;

function timeOf({ thread_id: threadId }: ThreadRow, ms: number): string {
  if (Math.abs(ms) <= FARTHEST_DATE_MS) return new Date(ms).toISOString();
  throw new ThreadfoldError("STORE_CORRUPT", `A time of thread ${threadId} is not a valid date: ${ms} ms.`, {
    details: { threadId },
  });
}

/** Where a page begins and how many items it may have. */
export interface PageRequest {
  /** Place of the last item of the previous page; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1_000;

/**
 * Checks the options of a listing. A limit above 1,000 counts as 1,000; a cursor is an earlier page's `nextCursor`.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a malformed cursor, or a limit below 1.
 */
export function pageRequest(options: { readonly cursor?: string; readonly limit?: number } = {}): PageRequest {
  const limit = Math.min(wholeNumber("limit", options.limit, 1, DEFAULT_LIMIT), LARGEST_LIMIT);
  if (options.cursor === undefined) return { after: 0, limit };
  if (!/^[1-9][0-9]{0,14}$/.test(options.cursor)) {
    throw new ThreadfoldError("INVALID_CONFIG", "cursor has to be the nextCursor of an earlier page.");
  }
  return { after: Number(options.cursor), limit };
}

/**
 * Returns a page of items that were read with their places, one more than the limit if there are more.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when they are out of order: the following pages would never end.
 */
export function pageOf<Item>(
  found: readonly { readonly place: number; readonly item: Item }[],
  { after, limit }: PageRequest,
): Page<Item> {
  let before = after;
  for (const { place } of found) {
    requireAscent("threads", before, place);
    before = place;
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return Object.freeze({
    items: Object.freeze(shown.map(({ item }) => item)),
    nextCursor: found.length > limit && last !== undefined ? String(last.place) : null,
  });
}

/**
 * Reads rows from first to last, a page at a time, so that a long thread is never in memory as a whole. Each page
 * begins after the last row of the previous page; in a damaged file that row may already have been read, and the
 * reading would never end.
 *
 * @param what names the rows in an error.
 * @param atATime number of rows on a page.
 * @param read reads the page that begins after a place.
 * @throws ThreadfoldError `STORE_CORRUPT` when a row does not come after the previous row.
 */
export async function* rowPages<Row extends object>(
  what: string,
  atATime: number,
  read: (after: number, limit: number) => readonly (Row & Placed)[] | Promise<readonly (Row & Placed)[]>,
): AsyncGenerator<Row> {
  let after = 0;
  for (;;) {
    const rows = await read(after, atATime);
    for (const { place, ...row } of rows) {
      requireAscent(what, after, place);
      yield row as unknown as Row;
      after = place;
    }
    if (rows.length < atATime) return;
  }
}

/** The position of a row among those read with it: a number that only grows. */
interface Placed {
  readonly place: number;
}

/** Checks that rows come in ascending order. @throws ThreadfoldError `STORE_CORRUPT`. */
function requireAscent(what: string, before: number, place: number): void {
  if (place > before) return;
  throw new ThreadfoldError("STORE_CORRUPT", `The ${what} are out of order: ${place} follows ${before}.`, {
    details: { after: before, at: place },
  });
}

/**
 * Yields every thread that a store lists, page by page.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when a page leads back to an earlier one, and whatever listing throws.
 */
export async function* listedThreads(store: Pick<ThreadfoldStore, "threads">): AsyncGenerator<ThreadInfo> {
  const cursors = new Set<string>();
  let page: Page<ThreadInfo> = await store.threads.list();
  for (;;) {
    yield* page.items;
    const { nextCursor: cursor } = page;
    if (cursor === null) return;
    if (cursors.has(cursor))
      throw new ThreadfoldError("STORE_CORRUPT", "The list of threads leads back to an earlier page.", {
        details: { cursor },
      });
    cursors.add(cursor);
    page = await store.threads.list({ cursor });
  }
}

const TITLE_MEDIA_TYPE = "application/vnd.threadfold.title+json";

const LONGEST_TITLE = 200;
const titleSchema = z.object({ number: z.int().positive(), title: z.string().min(1) });

/**
 * Gives a thread a title, on one line. It is stored with the thread as an artifact: earlier titles stay, it appears in
 * no prompt, and it is erased with the thread.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a blank title or one over 200 UTF-16 code units; what the store throws.
 */
export async function titleThread(
  { artifacts }: Pick<ThreadfoldStore, "artifacts">,
  threadId: ThreadId,
  title: string,
  clock: Clock,
): Promise<string> {
  checkArgument("title", title, "text");
  const line = title.toWellFormed().replace(/\s+/g, " ").trim();
  if (line === "" || line.length > LONGEST_TITLE)
    refuseArgument("title", `it has ${line.length} characters.`, `A title has 1 to ${LONGEST_TITLE} characters.`);
  const earlier = await artifacts.list(threadId, undefined, TITLE_MEDIA_TYPE);
  // Equal content is one artifact, which would keep its old place: the number makes a reused title a new artifact.
  await artifacts.store(JSON.stringify({ number: earlier.length + 1, title: line }), {
    ...{ threadId, tenantId: null, ttlSeconds: null, sensitivity: "internal", mediaType: TITLE_MEDIA_TYPE },
    createdAt: new Date(clock.now()).toISOString(),
  });
  return line;
}

/** Returns a thread's latest title, or null if it has none. @throws ThreadfoldError whatever the store throws. */
export async function threadTitle(
  { artifacts }: Pick<ThreadfoldStore, "artifacts">,
  threadId: ThreadId,
): Promise<string | null> {
  for (const id of (await artifacts.list(threadId, undefined, TITLE_MEDIA_TYPE)).toReversed()) {
    const artifact = await artifacts.retrieve(id);
    // A store may list artifacts of every type.
    if (artifact?.metadata.mediaType === TITLE_MEDIA_TYPE) return titleIn(artifact.content);
  }
  return null;
}

/** @throws ThreadfoldError `STORE_CORRUPT` for content that another program must have written. */
function titleIn(content: string): string {
  try {
    return titleSchema.parse(JSON.parse(content)).title;
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", "The stored title of the thread is not a valid title.", { cause });
  }
}
