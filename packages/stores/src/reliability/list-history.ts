import { asMessageId, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { message } from "../laws/sample-data.ts";
import { SeededRandom } from "./rounds.ts";

/** An append of one value to a list, or a read of the whole list, as a client saw it. All times come from one clock. */
export interface ListOperation {
  readonly client: string;
  readonly start: bigint;
  /** Null when the client never learned the outcome. */
  readonly end: bigint | null;
  /** The value to append; null for a read. */
  readonly value: string | null;
  /** What a read returned. */
  readonly seen?: readonly string[];
  /** True for an append that was refused for good. */
  readonly refused?: boolean;
}

/**
 * Returns why a history of appends and reads is not linearizable, or null if it is. Each value is appended once, and a
 * read returns the whole list, so the final list is the order of all appends. It is enough to check that each read is a
 * prefix of it, and that no operation takes effect before one that had ended when it began.
 */
export function listHistoryProblem(history: readonly ListOperation[], final: readonly string[]): string | null {
  const place = new Map(final.map((value, index) => [value, index]));
  if (place.size !== final.length) return "a value is in the list twice";
  const appends = history.filter(({ value }) => value !== null);
  const asked = new Set(appends.map(({ value }) => value));
  const stranger = final.find((value) => !asked.has(value));
  if (stranger !== undefined) return `nobody appended ${stranger}`;
  for (const { value, end, refused = false } of appends) {
    const isThere = place.has(value as string);
    if (refused && isThere) return `${value} was refused but is there`;
    if (!refused && end !== null && !isThere) return `${value} was acknowledged but is lost`;
  }
  for (const { client, seen } of history) {
    if (seen?.some((value, index) => final[index] !== value))
      return `${client} read something that is not a beginning of the list`;
  }
  return realTimeProblem(history, place);
}

/** Looks for operations that take effect before one that had ended when they began. */
function realTimeProblem(history: readonly ListOperation[], place: ReadonlyMap<string, number>): string | null {
  const done = history.filter(({ end, refused }) => end !== null && refused !== true);
  const ended = [...done].sort((one, other) => order(one.end ?? 0n, other.end ?? 0n));
  const begun = [...history].sort((one, other) => order(one.start, other.start));
  let next = 0;
  /** Minimum number of values in the list when the current operation began. */
  let least = 0;
  for (const { client, value, seen, start } of begun) {
    for (; next < ended.length && ((ended[next] as ListOperation).end ?? 0n) < start; next++) {
      least = Math.max(least, lengthAfter(ended[next] as ListOperation, place));
    }
    if (seen !== undefined && seen.length < least) return `${client} read ${seen.length} of at least ${least} values`;
    const at = value === null ? undefined : place.get(value);
    if (at !== undefined && at < least) return `${value} of ${client} comes before what was already there`;
  }
  return null;
}

const lengthAfter = ({ value, seen }: ListOperation, place: ReadonlyMap<string, number>): number =>
  value === null ? (seen?.length ?? 0) : (place.get(value) ?? -1) + 1;

const order = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);

/** A client's work: this many appends and reads on one thread. */
export interface ListWork {
  readonly client: string;
  readonly thread: string;
  readonly operations: number;
  readonly seed: number;
}

/**
 * A report of an operation: first that it begins, then its outcome. Times are in nanoseconds, from the machine's
 * monotonic clock.
 */
export type ListWord =
  | { readonly client: string; readonly number: number; readonly start: string; readonly value: string | null }
  | { readonly client: string; readonly number: number; readonly end: string; readonly seen?: readonly string[] };

/** Does the work, one operation after another, and reports each before it begins and after it ends. */
export async function workOnList(
  store: ThreadfoldStore,
  { client, thread, operations, seed }: ListWork,
  tell: (word: ListWord) => void,
): Promise<void> {
  const random = new SeededRandom(seed);
  const threadId = asThreadId(thread);
  for (let number = 0; number < operations; number++) {
    const value = random.next() < 0.75 ? `${client}.${number}` : null;
    tell({ client, number, start: String(process.hrtime.bigint()), value });
    try {
      const seen = value === null ? await read() : await append(value);
      tell({ client, number, end: String(process.hrtime.bigint()), ...seen });
    } catch {
      // The connection was cut: it is unknown whether it happened, which the history shows by having no end.
    }
  }

  async function append(value: string): Promise<object> {
    const entry = { type: "message" as const, message: { ...message(0), id: asMessageId(value) } };
    await store.threads.append(threadId, [entry], { expectedVersion: "any" });
    return {};
  }

  async function read(): Promise<{ readonly seen: readonly string[] }> {
    const thread = await store.threads.load(threadId);
    return { seen: [...(thread?.messages ?? [])].map(({ id }) => id) };
  }
}
