import assert from "node:assert/strict";
import { asThreadId, firstBrokenEntry, type JournalRecord, type ThreadfoldStore } from "@threadfold/core";
import { OTHER_THREAD, START, THREAD } from "./sample-data.ts";
import { assertFrozen, refuses, type StoreCheck } from "./store-check.ts";

const appended = (threadVersion: number): JournalRecord => ({
  type: "entries-appended",
  threadVersion,
  threadDigest: `digest ${threadVersion}`,
});

/** JSON would turn what is not a number into null. */
const inWords = (options: object): string =>
  Object.entries(options)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

async function write(store: ThreadfoldStore, count: number): Promise<void> {
  for (let version = 1; version <= count; version++) await store.journal.append(THREAD, appended(version), START);
}

export const journalLaws: readonly StoreCheck[] = [
  {
    name: "a journal that nobody wrote to is empty",
    async holds({ store }) {
      assert.deepEqual(await store.journal.read(THREAD), []);
    },
  },
  {
    name: "entries are numbered from 1 without a gap, and each links to the one before",
    async holds({ store }) {
      await write(store, 5);
      await store.journal.append(OTHER_THREAD, appended(1), START);
      const entries = await store.journal.read(THREAD);
      assert.deepEqual(
        entries.map(({ sequence }) => sequence),
        [1, 2, 3, 4, 5],
      );
      assert.equal(firstBrokenEntry(entries), null);
      assert.equal(
        entries.every(({ threadId, at }) => threadId === THREAD && at === START),
        true,
      );
      assertFrozen(entries);
      assert.deepEqual(
        (await store.journal.read(OTHER_THREAD)).map(({ sequence }) => sequence),
        [1],
      );
    },
  },
  {
    name: "the entry that an append returns is the one that is read",
    async holds({ store }) {
      const options = { z: [1, { b: "é\0", a: null }], a: -0 };
      const record = { ...appended(1), options } as JournalRecord;
      const entry = await store.journal.append(THREAD, record, START);
      options.z.length = 0;
      assertFrozen(entry);
      const [read] = await store.journal.read(THREAD);
      assert.equal(JSON.stringify(read?.record), JSON.stringify(entry.record));
      assert.equal(read?.hash, entry.hash);
    },
  },
  {
    name: "a read begins after a given number and ends at a limit",
    async holds({ store }) {
      await write(store, 5);
      const numbers = async (options: { after?: number; limit?: number }): Promise<readonly number[]> =>
        (await store.journal.read(THREAD, options)).map(({ sequence }) => sequence);
      assert.deepEqual(await numbers({ after: 2 }), [3, 4, 5]);
      assert.deepEqual(await numbers({ limit: 2 }), [1, 2]);
      assert.deepEqual(await numbers({ after: 1, limit: 3 }), [2, 3, 4]);
      assert.deepEqual(await numbers({ after: 5 }), []);
      assert.deepEqual(await numbers({ after: Number.MAX_SAFE_INTEGER }), []);
      assert.deepEqual(await numbers({ limit: 0 }), []);
      for (const options of [{ after: -1 }, { limit: -1 }, { after: 0.5 }, { limit: Number.NaN }]) {
        await refuses("INVALID_CONFIG", () => store.journal.read(THREAD, options), `a read of ${inWords(options)}`);
      }
    },
  },
  {
    name: "entries that are appended at the same time are all kept, in one chain",
    async holds({ store }) {
      await Promise.all(
        Array.from({ length: 20 }, (_, version) => store.journal.append(THREAD, appended(version), START)),
      );
      const entries = await store.journal.read(THREAD);
      assert.equal(entries.length, 20);
      assert.equal(firstBrokenEntry(entries), null);
    },
  },
  {
    name: "a record that canonical JSON cannot express is refused and leaves no gap",
    async holds({ store }) {
      await write(store, 1);
      const bad = { ...appended(2), threadVersion: Number.NaN } as JournalRecord;
      await refuses("INVALID_JSON", () => store.journal.append(THREAD, bad, START));
      await refuses("INVALID_CONFIG", () => store.journal.append(THREAD, appended(2), "now\0"));
      await refuses("INVALID_CONFIG", () => store.journal.append(asThreadId(""), appended(2), START));
      assert.deepEqual(
        (await store.journal.read(THREAD)).map(({ sequence }) => sequence),
        [1],
      );
    },
  },
];
