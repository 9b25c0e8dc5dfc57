import assert from "node:assert/strict";
import { artifactIdOf, type Clock, type ThreadfoldStore } from "@threadfold/core";
import type { Law } from "@threadfold/core/laws";
import { verifyStore } from "../audit/verify-store.ts";
import { exportThread } from "../inspection/export-thread.ts";
import { artifactLaws } from "./artifact-laws.ts";
import { journalLaws } from "./journal-laws.ts";
import { planLaws } from "./plan-laws.ts";
import { rangeLaws } from "./range-laws.ts";
import { dropPlan, entry, metadata, OTHER_THREAD, pin, START, START_MS, THREAD, transcript } from "./sample-data.ts";
import { type AdjustableClock, refuses, type StoreCheck } from "./store-check.ts";
import { appendLaws, threadLaws } from "./thread-laws.ts";

/** Opens stores of one kind for the laws. */
export interface StoreBackend {
  /** True when the store seals content, so that artifact ids are those of what is stored. False by default. */
  readonly isSealed?: boolean;
  /** True when the store has no `ranges`, which are optional: their laws are left out. False by default. */
  readonly withoutRanges?: boolean;
  /** Opens an empty store that takes its time from the clock. */
  open(options: { readonly clock: Clock }): Promise<ThreadfoldStore>;
  /** Reopens what the newest `open` opened, next to it or after it was closed. Absent for stores that forget. */
  reopen?(options: { readonly clock: Clock }): Promise<ThreadfoldStore>;
  /** Called when a law has finished with what was opened, after that was closed. */
  dispose?(): Promise<void>;
}

/** Returns the laws that every Threadfold store keeps, each on an empty store that the backend opens for it. */
export function storeLaws(backend: StoreBackend): readonly Law[] {
  const checks = [
    ...appendLaws,
    ...threadLaws,
    ...planLaws,
    ...(backend.withoutRanges === true ? [] : rangeLaws),
    ...artifactLaws,
    ...journalLaws,
    ...lifecycleLaws,
    ...(backend.reopen === undefined ? [] : reopenLaws),
  ];
  return checks.map(({ name, holds }) => ({ name, broken: () => tried(backend, holds) }));
}

/** Tries a law. What an assertion throws is passed on: it says which assertion failed, and how the values differ. */
async function tried(backend: StoreBackend, holds: StoreCheck["holds"]): Promise<null> {
  const clock = adjustableClock();
  const store = await backend.open({ clock });
  try {
    await holds({
      store,
      clock,
      isSealed: backend.isSealed ?? false,
      reopen: async () => {
        assert.ok(backend.reopen, "the backend can be opened again");
        return backend.reopen({ clock });
      },
    });
    return null;
  } finally {
    await store.close();
    await backend.dispose?.();
  }
}

function adjustableClock(): AdjustableClock {
  let now = START_MS;
  return { now: () => now, set: (ms) => void (now = ms) };
}

const plan = (version: number, author?: string): ReturnType<typeof dropPlan> =>
  dropPlan([], { version, threadVersion: 1, ...(author !== undefined && { author }) });

/** Adds something of every kind to a store. */
async function fill(store: ThreadfoldStore): Promise<void> {
  await store.threads.append(THREAD, [...transcript(6), pin("p1")], { expectedVersion: 0, idempotencyKey: "key" });
  const thread = await store.threads.load(THREAD);
  assert.ok(thread);
  await store.plans.commitPlan(THREAD, dropPlan(thread.messagesBetween(0, 4), { version: 1, threadVersion: 6 }), 0);
  await store.artifacts.store("content", metadata());
  await store.artifacts.store("other content", metadata({ tenantId: "tenant", sensitivity: "restricted" }));
  const record = { type: "entries-appended", threadVersion: thread.version, threadDigest: thread.digest } as const;
  await store.journal.append(THREAD, record, START);
}

const lifecycleLaws: readonly StoreCheck[] = [
  {
    name: "a store that was used as intended verifies",
    async holds({ store }) {
      await fill(store);
      assert.deepEqual(await verifyStore(store, THREAD), []);
      assert.deepEqual(await verifyStore(store), []);
      await refuses("THREAD_NOT_FOUND", () => verifyStore(store, OTHER_THREAD));
      await refuses("THREAD_NOT_FOUND", () => exportThread(store, OTHER_THREAD));
    },
  },
  {
    name: "closing twice is the same as closing once, and a closed store says so",
    async holds({ store }) {
      await fill(store);
      await store.close();
      await store.close();
      const calls: readonly (() => Promise<unknown>)[] = [
        () => store.threads.append(THREAD, [entry(9)], { expectedVersion: "any" }),
        () => store.threads.load(THREAD),
        () => store.threads.list(),
        () => store.plans.getCurrentPlan(THREAD),
        () => store.plans.getPlan(THREAD, 1),
        () => store.plans.listPlans(THREAD),
        () => store.plans.commitPlan(THREAD, plan(1), 0),
        () => store.artifacts.store("content", metadata()),
        () => store.artifacts.getMetadata(artifactIdOf(THREAD, null, "content")),
        () => store.artifacts.retrieve(artifactIdOf(THREAD, null, "content")),
        () => store.artifacts.list(THREAD),
        () =>
          store.journal.append(
            THREAD,
            { type: "usage-reported", requestSequence: 1, usage: { inputTokens: 1, outputTokens: 1 } },
            START,
          ),
        () => store.journal.read(THREAD),
      ];
      for (const call of calls) await refuses("STORE_UNAVAILABLE", call);
    },
  },
];

/** Laws of stores whose data outlives them. */
const reopenLaws: readonly StoreCheck[] = [
  {
    name: "C8 everything is there after closing and opening again",
    async holds({ store, reopen }) {
      await fill(store);
      const before = await exportThread(store, THREAD);
      await store.close();
      const again = await reopen();
      try {
        assert.equal(await exportThread(again, THREAD), before);
        assert.deepEqual(await verifyStore(again), []);
        const retry = await again.threads.append(THREAD, [...transcript(6), pin("p1")], {
          expectedVersion: 0,
          idempotencyKey: "key",
        });
        assert.deepEqual(retry, { version: 7, appended: 7 });
        assert.deepEqual(await again.threads.append(THREAD, [entry(6)], { expectedVersion: 7 }), {
          version: 8,
          appended: 1,
        });
      } finally {
        await again.close();
      }
    },
  },
  {
    name: "two handles see each other's writes and contend for one version",
    async holds({ store, reopen }) {
      const other = await reopen();
      try {
        await store.threads.append(THREAD, [entry(0)], { expectedVersion: 0 });
        await refuses("VERSION_CONFLICT", () => other.threads.append(THREAD, [entry(1)], { expectedVersion: 0 }));
        assert.deepEqual(await other.threads.append(THREAD, [entry(0), entry(1)], { expectedVersion: 1 }), {
          version: 2,
          appended: 1,
        });
        assert.equal((await store.plans.commitPlan(THREAD, plan(1, "one"), 0)).status, "committed");
        assert.deepEqual(await other.plans.commitPlan(THREAD, plan(1, "two"), 0), {
          status: "conflict",
          currentVersion: 1,
        });
        assert.equal((await other.plans.commitPlan(THREAD, plan(2, "two"), 1)).status, "committed");
        assert.equal(await exportThread(store, THREAD), await exportThread(other, THREAD));
      } finally {
        await other.close();
      }
    },
  },
];
