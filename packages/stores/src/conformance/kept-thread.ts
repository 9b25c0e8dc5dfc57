import assert from "node:assert/strict";
import type { AgentThread, ThreadEntryInput, ThreadfoldStore, ThreadId } from "@threadfold/core";
import { expectedThread, THREAD } from "./sample-data.ts";

/** A thread that has to be there. */
export async function loaded(
  store: ThreadfoldStore,
  threadId: ThreadId = THREAD,
  atVersion?: number,
): Promise<AgentThread> {
  const thread = await store.threads.load(threadId, atVersion === undefined ? {} : { atVersion });
  assert.ok(thread, `thread ${threadId} is there`);
  return thread;
}

/** Makes sure that the store holds exactly these entries. */
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
