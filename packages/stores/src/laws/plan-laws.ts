import assert from "node:assert/strict";
import {
  asPlanId,
  type CompactionPlan,
  digestOf,
  type Message,
  parsePlan,
  sealPlan,
  serializePlan,
  type ThreadfoldStore,
} from "@threadfold/core";
import { dropPlan, entry, OTHER_THREAD, START, START_MS, THREAD, transcript } from "./sample-data.ts";
import { assertFrozen, refuses, type StoreCheck } from "./store-check.ts";

async function messagesOf(store: ThreadfoldStore, count: number): Promise<readonly Message[]> {
  await store.threads.append(THREAD, transcript(count), { expectedVersion: "any" });
  return [...((await store.threads.load(THREAD))?.messages ?? [])];
}

/** Returns a plan with a valid id that was not made by `sealPlan`. */
function withItsId({ createdAt, planId: _former, ...hashed }: CompactionPlan): CompactionPlan {
  return { ...hashed, createdAt, planId: asPlanId(digestOf(hashed)) };
}

export const planLaws: readonly StoreCheck[] = [
  {
    name: "spec-94 a thread that was never folded has no plan and version 0",
    async holds({ store }) {
      assert.deepEqual(await store.plans.getCurrentPlan(THREAD), { plan: null, version: 0 });
      assert.equal((await store.plans.getCurrentVersion?.(THREAD)) ?? 0, 0);
      await messagesOf(store, 2);
      assert.deepEqual(await store.plans.getCurrentPlan(THREAD), { plan: null, version: 0 });
      assert.deepEqual(await store.plans.listPlans(THREAD), []);
      for (const version of [-1, 0, 1, 1.5, Number.NaN])
        assert.equal(await store.plans.getPlan(THREAD, version), null, `version ${version}`);
    },
  },
  {
    name: "C11 a committed plan comes back byte for byte and with its records",
    async holds({ store }) {
      const messages = await messagesOf(store, 8);
      const plan = dropPlan(messages.slice(0, 4), { version: 1, threadVersion: 8 });
      assert.deepEqual(await store.plans.commitPlan(THREAD, plan, 0), { status: "committed", version: 1 });
      const current = await store.plans.getCurrentPlan(THREAD);
      assert.equal(current.version, 1);
      assert.equal((await store.plans.getCurrentVersion?.(THREAD)) ?? 1, 1);
      for (const kept of [current.plan, await store.plans.getPlan(THREAD, 1)]) {
        assert.ok(kept);
        assert.equal(serializePlan(kept), serializePlan(plan));
        assert.equal(kept.drops.length, 1);
        assertFrozen(kept);
      }
    },
  },
  {
    name: "C1 spec-95 a commit at a stale version is a conflict that names the current one and changes nothing",
    async holds({ store }) {
      const messages = await messagesOf(store, 4);
      const place = { threadVersion: 4 };
      await store.plans.commitPlan(THREAD, dropPlan(messages.slice(0, 1), { ...place, version: 1 }), 0);
      await store.plans.commitPlan(THREAD, dropPlan(messages.slice(0, 2), { ...place, version: 2 }), 1);
      const stale = dropPlan(messages.slice(0, 3), { ...place, version: 1 });
      assert.deepEqual(await store.plans.commitPlan(THREAD, stale, 0), { status: "conflict", currentVersion: 2 });
      const early = dropPlan(messages.slice(0, 3), { ...place, version: 5 });
      assert.deepEqual(await store.plans.commitPlan(THREAD, early, 4), { status: "conflict", currentVersion: 2 });
      assert.equal((await store.plans.listPlans(THREAD)).length, 2);
    },
  },
  {
    name: "C2 of many commits at one version exactly one wins, and versions have no gap",
    async holds({ store }) {
      const messages = await messagesOf(store, 4);
      for (let version = 1; version <= 5; version++) {
        const tries = Array.from({ length: 8 }, (_, author) =>
          store.plans.commitPlan(
            THREAD,
            dropPlan(messages.slice(0, 2), { version, threadVersion: 4, author: `author ${author}` }),
            version - 1,
          ),
        );
        const results = await Promise.all(tries);
        assert.equal(results.filter(({ status }) => status === "committed").length, 1);
        for (const result of results) if (result.status === "conflict") assert.equal(result.currentVersion, version);
      }
      assert.deepEqual(
        (await store.plans.listPlans(THREAD)).map(({ version }) => version),
        [1, 2, 3, 4, 5],
      );
    },
  },
  {
    name: "R8 spec-93 a commit that is retried returns the first result, even after later commits",
    async holds({ store }) {
      const messages = await messagesOf(store, 4);
      const first = dropPlan(messages.slice(0, 1), { version: 1, threadVersion: 4 });
      const again = { ...first, createdAt: new Date(START_MS + 60_000).toISOString() };
      const committed = { status: "committed", version: 1 };
      assert.deepEqual(await store.plans.commitPlan(THREAD, first, 0), committed);
      assert.deepEqual(await store.plans.commitPlan(THREAD, again, 0), committed);
      await store.plans.commitPlan(THREAD, dropPlan(messages.slice(0, 2), { version: 2, threadVersion: 4 }), 1);
      assert.deepEqual(await store.plans.commitPlan(THREAD, first, 0), committed);
      assert.equal((await store.plans.getPlan(THREAD, 1))?.createdAt, START);
      assert.equal((await store.plans.getCurrentPlan(THREAD)).version, 2);
    },
  },
  {
    name: "P8 appends never wait for a plan, and later ones never invalidate it",
    async holds({ store }) {
      const messages = await messagesOf(store, 4);
      const plan = dropPlan(messages.slice(0, 2), { version: 1, threadVersion: 4 });
      await store.threads.append(THREAD, [entry(4)], { expectedVersion: 4 });
      assert.equal((await store.plans.commitPlan(THREAD, plan, 0)).status, "committed");
      await store.threads.append(THREAD, [entry(5)], { expectedVersion: 5 });
      const next = dropPlan(messages.slice(0, 3), { version: 2, threadVersion: 5 });
      assert.equal((await store.plans.commitPlan(THREAD, next, 1)).status, "committed");
    },
  },
  {
    name: "spec-18 a plan that does not fit its thread or its place is refused",
    async holds({ store }) {
      const messages = await messagesOf(store, 4);
      const place = { version: 1, threadVersion: 4 };
      const fine = dropPlan(messages.slice(0, 2), place);
      const unknown = { ...messages[0], id: "m9", turn: 1 } as Message;
      const bad: readonly (readonly [string, CompactionPlan, number])[] = [
        ["a version that does not follow", dropPlan(messages.slice(0, 2), { ...place, version: 2 }), 0],
        ["version 0", dropPlan(messages.slice(0, 2), { ...place, version: 0 }), -1],
        ["another thread", dropPlan(messages.slice(0, 2), { ...place, threadId: OTHER_THREAD }), 0],
        ["an unknown message", dropPlan([unknown], place), 0],
        ["a message from after its thread version", dropPlan(messages.slice(2, 4), { ...place, threadVersion: 3 }), 0],
        ["a thread version that does not exist yet", dropPlan(messages.slice(0, 2), { ...place, threadVersion: 5 }), 0],
        ["content that is not its id's", { ...fine, compactedTokens: 1 }, 0],
        ["ids out of the thread's order", dropPlan([messages[1], messages[0]] as Message[], place), 0],
        ["a message in two records", withItsId({ ...fine, drops: [...fine.drops, ...fine.drops] }), 0],
        ["no plan at all", { planId: fine.planId } as CompactionPlan, 0],
      ];
      for (const [what, plan, expectedVersion] of bad) {
        await refuses("INVALID_PLAN", () => store.plans.commitPlan(THREAD, plan, expectedVersion), what);
      }
      assert.deepEqual(await store.plans.getCurrentPlan(THREAD), { plan: null, version: 0 });
      const elsewhere = dropPlan([], { version: 1, threadVersion: 0, threadId: OTHER_THREAD });
      await refuses("THREAD_NOT_FOUND", () => store.plans.commitPlan(OTHER_THREAD, elsewhere, 0));
    },
  },
  {
    name: "a list of ids that is known from one thread is looked up in another",
    async holds({ store }) {
      const messages = await messagesOf(store, 20);
      // The same ids, each one place later.
      await store.threads.append(OTHER_THREAD, [entry(900), ...transcript(20)], { expectedVersion: "any" });
      const plan = dropPlan(messages.slice(2, 16), { version: 1, threadVersion: 20 });
      const again = sealPlan({ ...plan, version: 2 });
      const elsewhere = sealPlan({ ...plan, threadId: OTHER_THREAD });
      for (const made of [plan, again, elsewhere]) {
        const committed = await store.plans.commitPlan(made.threadId, made, made.version - 1);
        assert.deepEqual(committed, { status: "committed", version: made.version });
        const kept = await store.plans.getPlan(made.threadId, made.version);
        assert.equal(kept && serializePlan(kept), serializePlan(made));
      }
      const early = sealPlan({ ...elsewhere, version: 2, threadVersion: 10 });
      await refuses("INVALID_PLAN", () => store.plans.commitPlan(OTHER_THREAD, early, 1));
    },
  },
  {
    name: "the list of plans gives the figures of each plan, without its records",
    async holds({ store, clock }) {
      const messages = await messagesOf(store, 4);
      const plans = [1, 2].map((version) => dropPlan(messages.slice(0, version), { version, threadVersion: 4 }));
      clock.set(START_MS + 7_000);
      for (const plan of plans) await store.plans.commitPlan(THREAD, plan, plan.version - 1);
      const list = await store.plans.listPlans(THREAD);
      const expected = plans.map(({ planId, version }) => ({
        planId,
        version,
        threadVersion: 4,
        createdAt: START,
        originalTokens: 1_000.5,
        compactedTokens: 990,
      }));
      assert.deepEqual(JSON.parse(JSON.stringify(list)), expected);
      assertFrozen(list);
      const [info] = (await store.threads.list()).items;
      assert.deepEqual([info?.planVersion, info?.updatedAt], [2, new Date(START_MS + 7_000).toISOString()]);
    },
  },
  {
    name: "a committed plan stays the same when the value that was committed is changed",
    async holds({ store }) {
      const messages = await messagesOf(store, 4);
      const plan = structuredClone(dropPlan(messages.slice(0, 2), { version: 1, threadVersion: 4 }));
      const before = serializePlan(plan);
      await store.plans.commitPlan(THREAD, plan, 0);
      (plan as { threadVersion: number }).threadVersion = 99;
      (plan.drops as unknown[]).length = 0;
      const kept = (await store.plans.getCurrentPlan(THREAD)).plan;
      assert.equal(kept && serializePlan(parsePlan(serializePlan(kept))), before);
    },
  },
];
