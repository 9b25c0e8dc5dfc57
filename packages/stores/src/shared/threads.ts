import {
  type AppendResult,
  type Clock,
  digestOf,
  type ExpectedVersion,
  type MessageId,
  type Page,
  type PinId,
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

/** Where a thread ends: all that an append has to know of the entries before it. */
export interface LogEnd {
  readonly version: number;
  readonly messages: number;
  readonly turn: number;
  readonly step: number;
  /** The thread's digest. */
  readonly link: string;
}

/** The end of a thread without an entry. */
export const START_OF_LOG: LogEnd = Object.freeze({
  version: 0,
  messages: 0,
  turn: 0,
  step: 0,
  link: THREAD_CHAIN_START,
});

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

/**
 * Accepts an append when the thread is at the version that the caller expects. A thread without entries does not exist,
 * so `"no-thread"` and 0 mean the same.
 *
 * @throws ThreadfoldError `VERSION_CONFLICT` with both versions.
 */
export function requireVersion(threadId: ThreadId, actual: number, expected: ExpectedVersion): void {
  if (expected === "any" || actual === (expected === "no-thread" ? 0 : expected)) return;
  const wanted = expected === "no-thread" ? "not to be there yet" : `at version ${expected}`;
  throw new ThreadfoldError(
    "VERSION_CONFLICT",
    `Thread ${threadId} is at version ${actual}; the append expects it ${wanted}.`,
    {
      details: { threadId, expected, actual },
      ...(expected === "no-thread" && {
        hint: "For a new thread, name an id that is free; to go on with this one, open a session on it, or call `await session.refresh()`, and append again.",
      }),
    },
  );
}

/** What an idempotency key stands for: what was asked, and what was answered. */
export interface AppendReceipt {
  /** SHA-256 of the canonical JSON of the entries that were handed in. */
  readonly requestDigest: string;
  readonly result: AppendResult;
}

/** The receipt of an append that had a key. */
export function receiptFor(inputs: readonly ThreadEntryInput[], result: AppendResult): AppendReceipt {
  return { requestDigest: digestOf(inputs), result };
}

/** The ids of messages and pins that entries name, as far as they name any: they are not checked yet. */
export interface NamedIds {
  readonly messageIds: readonly MessageId[];
  readonly pinIds: readonly PinId[];
}

/** The ids that entries which are handed in name. */
export function idsIn(inputs: readonly ThreadEntryInput[]): NamedIds {
  const messageIds = inputs.map((input) => (input.type === "message" ? input.message?.id : undefined));
  const pinIds = inputs.map((input) =>
    input.type === "pin" ? input.pin?.id : input.type === "pin-lifted" ? input.pinId : undefined,
  );
  return { messageIds: messageIds.filter(isText), pinIds: pinIds.filter(isText) };
}

const isText = <Id extends string>(value: Id | undefined): value is Id =>
  typeof value === "string" && value.isWellFormed();

/** What a thread has entries of. */
export interface KeptIds {
  message(id: MessageId): boolean;
  pin(id: PinId): boolean;
}

/**
 * The answer to an append that is tried again: its first result. A receipt is no more than a row, and one that somebody
 * forged would make an append that never was look done: so the thread has to have what was asked for.
 *
 * @throws ThreadfoldError `IDEMPOTENCY_MISMATCH` when the key stood for other entries, `STORE_CORRUPT` when the thread
 * does not have them.
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
      `The idempotency key stands for an append that thread ${threadId} does not have.`,
      { hint: "Verify the store; append under another key.", details: { threadId, version: receipt.result.version } },
    );
  }
  throw new ThreadfoldError(
    "IDEMPOTENCY_MISMATCH",
    `The idempotency key stands for an append of other entries to thread ${threadId}.`,
    { details: { threadId, version: receipt.result.version } },
  );
}

/** A receipt as tables keep it. */
export interface ReceiptRow {
  readonly request_digest: string;
  readonly version: number;
  readonly appended: number;
}

/** A receipt, read from its row. */
export function receiptOf({ request_digest: requestDigest, version, appended }: ReceiptRow): AppendReceipt {
  return { requestDigest, result: Object.freeze({ version, appended }) };
}

/** What a list of threads is made of. Times are milliseconds since the epoch, `archived_at` in ISO 8601; null for none. */
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

/** A thread's line in a list. @throws ThreadfoldError `STORE_CORRUPT` when one of its times is not a valid date. */
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

/** The farthest that a date may be from the epoch, in milliseconds. */
const FARTHEST_DATE_MS = 8.64e15;

function timeOf({ thread_id: threadId }: ThreadRow, ms: number): string {
  if (Math.abs(ms) <= FARTHEST_DATE_MS) return new Date(ms).toISOString();
  throw new ThreadfoldError("STORE_CORRUPT", `A time of thread ${threadId} is not a valid date: ${ms} ms.`, {
    details: { threadId },
  });
}

/** Where a page begins and how much goes on it. */
export interface PageRequest {
  /** Place of the last item of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1_000;

/**
 * Reads the options of a listing. A limit above 1,000 counts as 1,000; a cursor is the `nextCursor` of an earlier page.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a cursor of no earlier page, or a limit below 1.
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
 * A page of items that were read with their places, one more than the limit when there are more.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when they do not come in order: the pages behind this one would never end.
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
 * Reads rows from the first to the last, a page at a time, so that a long thread is never in memory as a whole. Each page
 * begins behind the last row of the page before; in a damaged file that may be one that was read already, and the
 * reading would never end.
 *
 * @param what names the rows in an error.
 * @param atATime how many rows are on a page.
 * @param read reads the page that begins after a place.
 * @throws ThreadfoldError `STORE_CORRUPT` when a row does not come behind the row before.
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

/** Where a row stands among those that are read with it: a number that only grows. */
interface Placed {
  readonly place: number;
}

/** Makes sure that rows come in ascending order. @throws ThreadfoldError `STORE_CORRUPT`. */
function requireAscent(what: string, before: number, place: number): void {
  if (place > before) return;
  throw new ThreadfoldError("STORE_CORRUPT", `The ${what} are out of order: behind ${before} comes ${place}.`, {
    details: { after: before, at: place },
  });
}

/**
 * Everything that a store lists, page by page.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when a page leads back to one that was there already, and what listing throws.
 */
export async function* listedThreads(store: Pick<ThreadfoldStore, "threads">): AsyncGenerator<ThreadInfo> {
  const cursors = new Set<string>();
  let page: Page<ThreadInfo> = await store.threads.list();
  for (;;) {
    yield* page.items;
    const { nextCursor: cursor } = page;
    if (cursor === null) return;
    if (cursors.has(cursor))
      throw new ThreadfoldError("STORE_CORRUPT", "The list of threads leads back to a page that was there already.", {
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
 * Gives a thread a title of its own, in one line. It is kept beside the thread as an artifact: earlier ones stay, it is in no
 * prompt, and it goes when the thread is erased.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a title that is blank or longer than 200 UTF-16 code units, and what the store throws.
 */
export async function titleThread(
  { artifacts }: Pick<ThreadfoldStore, "artifacts">,
  threadId: ThreadId,
  title: string,
  clock: Clock,
): Promise<string> {
  const line = title.toWellFormed().replace(/\s+/g, " ").trim();
  if (line === "" || line.length > LONGEST_TITLE)
    throw new ThreadfoldError("INVALID_CONFIG", `The title has ${line.length} characters.`, {
      hint: `A title has 1 to ${LONGEST_TITLE} characters.`,
    });
  const earlier = await artifacts.list(threadId, undefined, TITLE_MEDIA_TYPE);
  // Equal content is one artifact, which would stand where it stood: a title that comes back is another one by its number.
  await artifacts.store(JSON.stringify({ number: earlier.length + 1, title: line }), {
    ...{ threadId, tenantId: null, ttlSeconds: null, sensitivity: "internal", mediaType: TITLE_MEDIA_TYPE },
    createdAt: new Date(clock.now()).toISOString(),
  });
  return line;
}

/** The title that a thread was given last; null for one that was given none. @throws ThreadfoldError what the store throws. */
export async function threadTitle(
  { artifacts }: Pick<ThreadfoldStore, "artifacts">,
  threadId: ThreadId,
): Promise<string | null> {
  const ids = await artifacts.list(threadId, undefined, TITLE_MEDIA_TYPE);
  for (const id of ids.toReversed()) {
    const artifact = await artifacts.retrieve(id);
    // A store may list artifacts of every type.
    if (artifact?.metadata.mediaType === TITLE_MEDIA_TYPE) return titleIn(artifact.content);
  }
  return null;
}

/** @throws ThreadfoldError `STORE_CORRUPT` for what another program must have put there. */
function titleIn(content: string): string {
  try {
    return titleSchema.parse(JSON.parse(content)).title;
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", "What is kept as the thread's title is none.", { cause });
  }
}
