import assert from "node:assert/strict";
import { artifactIdOf, type Clock, type ThreadfoldStore } from "@threadfold/core";
import { verifyStore } from "../audit/verify-store.ts";
import { exportThread } from "../inspection/export-thread.ts";
import { artifactLaws } from "./artifact-laws.ts";
import { journalLaws } from "./journal-laws.ts";
import { planLaws } from "./plan-laws.ts";
import { rangeLaws } from "./range-laws.ts";
import { dropPlan, entry, metadata, OTHER_THREAD, pin, START, START_MS, THREAD, transcript } from "./sample-data.ts";
import { type AdjustableClock, refuses, type StoreLaw } from "./store-law.ts";
import { appendLaws, threadLaws } from "./thread-laws.ts";

/** A kind of store, and how to come by one. */
export interface StoreBackend {
  readonly name: string;
  /** True when the store seals content, so that artifact ids are those of what is stored. False by default. */
  readonly isSealed?: boolean;
  /** Opens an empty store that takes its time from the clock. */
  open(options: { readonly clock: Clock }): Promise<ThreadfoldStore>;
  /** Opens what the newest `open` opened again, next to it or after it was closed. Absent for stores that forget. */
  reopen?(options: { readonly clock: Clock }): Promise<ThreadfoldStore>;
  /** Called when a law is done with what was opened, after it was closed. */
  dispose?(): Promise<void>;
}

/** The two functions of a test framework that the suite needs: those of vitest, node:test and others. */
export interface TestFramework {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/**
 * The laws that every Threadfold store keeps, as tests. A backend's own test file is a few lines:
 *
 * ```ts
 * import { describe, it } from "vitest";
 * storeConformance({ name: "memory", open: async ({ clock }) => createMemoryStore({ clock }) }, { describe, it });
 * ```
 */
export function storeConformance(backend: StoreBackend, { describe, it }: TestFramework): void {
  const families: Readonly<Record<string, readonly StoreLaw[]>> = {
    appends: appendLaws,
    threads: threadLaws,
    plans: planLaws,
    ranges: rangeLaws,
    artifacts: artifactLaws,
    journal: journalLaws,
    lifecycle: lifecycleLaws,
    ...(backend.reopen !== undefined && { reopening: reopenLaws }),
  };
  describe(`${backend.name} store`, () => {
    for (const [family, laws] of Object.entries(families)) {
      describe(family, () => {
        for (const law of laws) it(law.name, () => runLaw(backend, law));
      });
    }
  });
}

async function runLaw(backend: StoreBackend, law: StoreLaw): Promise<void> {
  const clock = adjustableClock();
  const store = await backend.open({ clock });
  try {
    await law.holds({
      store,
      clock,
      isSealed: backend.isSealed ?? false,
      reopen: async () => {
        assert.ok(backend.reopen, "the backend can be opened again");
        return backend.reopen({ clock });
      },
    });
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

/** Puts something of every kind into a store. */
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

const lifecycleLaws: readonly StoreLaw[] = [
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
    name: "closing twice is closing once, and a closed store says so",
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

/** Laws of stores that keep what they hold when they are closed. */
const reopenLaws: readonly StoreLaw[] = [
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
