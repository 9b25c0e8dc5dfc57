import assert from "node:assert/strict";
import {
  type AgentThread,
  type Clock,
  type ErrorCode,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { expectedThread, THREAD } from "./sample-data.ts";

/** A clock that a law can set. */
export interface AdjustableClock extends Clock {
  /** Sets the time that it shows from now on, in milliseconds since the epoch. */
  set(ms: number): void;
}

/** What a law is given to work with. */
interface LawContext {
  /** An empty store that uses the clock. */
  readonly store: ThreadfoldStore;
  readonly clock: AdjustableClock;
  /** True when the store seals content, so that artifact ids are those of what is stored. */
  readonly isSealed: boolean;
  /** Opens another handle on the same data; the law closes it. Laws that need it run only if the backend can reopen. */
  readonly reopen: () => Promise<ThreadfoldStore>;
}

/** A law of stores, before it is applied to a particular store. */
export interface StoreCheck {
  /** The law as a sentence, beginning with the id of its scenario if it has one. */
  readonly name: string;
  readonly holds: (context: LawContext) => Promise<void>;
}

/**
 * Checks that work fails with a code.
 *
 * @param given what the work was given, for the report; the source of the work by default.
 */
export async function refuses(
  code: ErrorCode,
  work: () => Promise<unknown>,
  given: string = String(work).replaceAll(/\s+/g, " "),
): Promise<void> {
  const thrown = await work().then(
    () => "nothing was thrown",
    (error: unknown) => error,
  );
  if (ThreadfoldError.isInstance(thrown) && thrown.code === code) return;
  const instead = ThreadfoldError.isInstance(thrown) ? `${thrown.code}: ${thrown.message}` : String(thrown);
  assert.fail(`expected ${code} for ${given}, and ${thrown === "nothing was thrown" ? thrown : `got ${instead}`}`);
}

/** Checks that a value and everything in it is frozen. */
export function assertFrozen(value: unknown, path = "value"): void {
  if (typeof value !== "object" || value === null) return;
  assert.ok(Object.isFrozen(value), `${path} is not frozen`);
  for (const [key, item] of Object.entries(value)) assertFrozen(item, `${path}.${key}`);
}

/** Returns a thread that must exist. */
export async function loaded(
  store: ThreadfoldStore,
  threadId: ThreadId = THREAD,
  atVersion?: number,
): Promise<AgentThread> {
  const thread = await store.threads.load(threadId, atVersion === undefined ? {} : { atVersion });
  assert.ok(thread, `thread ${threadId} is there`);
  return thread;
}

/** Checks that the store holds exactly these entries. */
export async function holds(store: ThreadfoldStore, entries: readonly ThreadEntryInput[]): Promise<void> {
  const thread = await loaded(store);
  const expected = expectedThread(entries);
  assert.equal(thread.version, expected.version);
  // Down to the order of keys: what is rendered must not depend on the store that a thread came from.
  const messages = [...thread.messages].map((message) => JSON.stringify(message));
  const altered = [...expected.messages].findIndex((message, ordinal) => JSON.stringify(message) !== messages[ordinal]);
  assert.equal(altered, -1, `message ${altered} is not what was appended`);
  assert.equal(thread.digest, expected.digest);
  assert.deepEqual(thread.livePins, expected.livePins);
  assert.deepEqual({ ...thread.position }, { ...expected.position });
}
