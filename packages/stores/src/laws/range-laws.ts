import assert from "node:assert/strict";
import {
  actionOf,
  asMessageId,
  type CompactionPlan,
  entryDigest,
  groupRecords,
  type Message,
  outlineOf,
  type PlanRecord,
  planRecords,
  type ResumedThread,
  sealPlan,
  serializePlan,
  spanOf,
  spanStart,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadRanges,
  viewThread,
} from "@threadfold/core";
import { entry, lift, message, OTHER_THREAD, pin, START, THREAD, transcript } from "./sample-data.ts";
import { assertFrozen, loaded, refuses, type StoreCheck } from "./store-check.ts";

const ANY = { expectedVersion: "any" } as const;

/** A log with pins among messages that a plan takes out, and with a side branch. */
const LOG: readonly ThreadEntryInput[] = [
  ...transcript(6),
  pin("early"),
  entry(6),
  pin("lifted"),
  ...[7, 8, 9, 10].map((number) => entry(number)),
  lift("lifted"),
  { type: "message", message: { ...message(12), id: asMessageId("side"), branch: "side" } },
  ...Array.from({ length: 13 }, (_, index) => entry(index + 11)),
];

function rangesOf(store: ThreadfoldStore): ThreadRanges {
  assert.ok(store.ranges, "the store has no ranges; if that is intended, set withoutRanges of the backend");
  return store.ranges;
}

async function resumed(store: ThreadfoldStore): Promise<ResumedThread> {
  const found = await rangesOf(store).resume(THREAD);
  assert.ok(found, "the thread can be resumed");
  return found;
}

/** Commits a plan that drops one run of messages, summarizes another, clears a result, and shows the rest. */
async function fold(store: ThreadfoldStore, version = 1): Promise<CompactionPlan> {
  const thread = await loaded(store);
  const main = [...thread.messages].filter(({ branch }) => branch === undefined);
  const base = { strategy: "law", reason: "a law needs it", sincePlanVersion: version, originalTokens: 10 };
  const summarized = spanOf(main.slice(6, 13 + version));
  const cleared = main.slice(14 + version).find(({ role }) => role === "tool") as Message;
  const records: readonly PlanRecord[] = [
    { ...base, action: "drop", span: spanOf(main.slice(1, 6)), keywords: ["text"] },
    {
      ...base,
      action: "summarize",
      span: summarized,
      summaryTokens: 5,
      summarizer: "law",
      resolved: [],
      summary: summaryOf(summarized, main),
    },
    { ...base, action: "clear", span: spanOf([cleared]), targets: ["tool-result"], preservedFields: {} },
  ];
  const plan = sealPlan({
    ...groupRecords(records),
    threadId: THREAD,
    threadVersion: thread.version,
    version,
    policyVersion: "law",
    createdAt: START,
    originalTokens: 100,
    compactedTokens: 50,
  });
  assert.deepEqual(await store.plans.commitPlan(THREAD, plan, version - 1), { status: "committed", version });
  return plan;
}

function summaryOf(span: ReturnType<typeof spanOf>, messages: readonly Message[]) {
  const none = { constraints: [], decisions: [], openItems: [], files: [], toolOutcomes: [], errors: [] };
  const facts = [{ id: "fact", text: "something was read", sources: [(messages[7] as Message).id] }];
  const task = { originalTask: null, currentTask: null, currentPlan: null };
  return { schemaVersion: 1 as const, span, ...task, ...none, facts, artifacts: [], identifiers: [], round: 1 };
}

/** Returns what a prompt is made from, as text: messages whole, records by their place and content. */
function shown({ thread, plan }: ResumedThread): readonly string[] {
  const outline = (_key: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && "firstTurn" in value
      ? spanStart(value as PlanRecord["span"])
      : value;
  return viewThread(thread, plan).map((one) => JSON.stringify(one, outline));
}

/** Checks that a resumed thread shows what the whole thread shows, and has the same position. */
async function standsFor(found: ResumedThread, store: ThreadfoldStore): Promise<void> {
  const thread = await loaded(store);
  const { plan } = await store.plans.getCurrentPlan(THREAD);
  assert.ok(plan);
  assert.equal(found.plan.planId, plan.planId);
  assert.equal(found.thread.version, thread.version);
  assert.equal(found.thread.length, thread.length);
  assert.equal(found.thread.digest, thread.digest);
  assert.deepEqual({ ...found.thread.position }, { ...thread.position });
  assert.deepEqual(found.thread.livePins, thread.livePins);
  assert.deepEqual(shown(found), shown({ thread, plan }));
}

/** Returns the answer, or the expected one when asking fails with `HISTORY_NOT_LOADED`. */
function orNotLoaded(ask: () => unknown, expected: unknown): unknown {
  try {
    return ask();
  } catch (error) {
    assert.ok(ThreadfoldError.isInstance(error) && error.code === "HISTORY_NOT_LOADED", String(error));
    return expected;
  }
}

/** Laws of ranges: how parts of threads are read back. */
export const rangeLaws: readonly StoreCheck[] = [
  {
    name: "P9 a range of entries is that part of the whole thread",
    async holds({ store }) {
      const ranges = rangesOf(store);
      assert.deepEqual(await ranges.loadRange(THREAD, { fromVersion: 0 }), []);
      await store.threads.append(THREAD, structuredClone(LOG), ANY);
      const thread = await loaded(store);
      for (const fromVersion of [0, 1, 6, 7, LOG.length - 1, LOG.length, LOG.length + 5]) {
        for (const toVersion of [undefined, 0, 1, 7, 9, LOG.length, LOG.length + 5]) {
          const range = toVersion === undefined ? { fromVersion } : { fromVersion, toVersion };
          const found = await ranges.loadRange(THREAD, range);
          const expected = thread.entriesBetween(fromVersion, toVersion);
          assert.deepEqual(found.map(entryDigest), expected.map(entryDigest), JSON.stringify(range));
          assertFrozen(found);
        }
      }
      await refuses("INVALID_CONFIG", () => ranges.loadRange(THREAD, { fromVersion: -1 }));
      await refuses("INVALID_CONFIG", () => ranges.loadRange(THREAD, { fromVersion: 0, toVersion: 1.5 }));
    },
  },
  {
    name: "messages are found by their ids, in thread order, with the version that they made",
    async holds({ store }) {
      const ranges = rangesOf(store);
      const nul = { type: "message", message: { ...message(0), id: asMessageId("nul\0inside") } } as const;
      await store.threads.append(THREAD, structuredClone([...LOG, nul]), ANY);
      const thread = await loaded(store);
      const ids = ["m20", "unknown", "nul\0inside", "m3", "m20", "side"].map(asMessageId);
      const found = await ranges.findMessages(THREAD, ids);
      assert.deepEqual(
        found.map((one) => one.message.id),
        ["m3", "side", "m20", "nul\0inside"],
      );
      for (const { version, message: one } of found) {
        assert.deepEqual(thread.entriesBetween(version - 1, version), [{ type: "message", message: one }]);
      }
      assertFrozen(found);
      assert.deepEqual(await ranges.findMessages(OTHER_THREAD, ids), []);
    },
  },
  {
    name: "a thread without a plan is not resumed but loaded",
    async holds({ store }) {
      assert.equal(await rangesOf(store).resume(THREAD), null);
      await store.threads.append(THREAD, structuredClone(LOG), ANY);
      assert.equal(await rangesOf(store).resume(THREAD), null);
    },
  },
  {
    name: "P9 a resumed thread shows what the whole thread shows, and grows like it",
    async holds({ store }) {
      await store.threads.append(THREAD, structuredClone(LOG), ANY);
      await fold(store);
      await standsFor(await resumed(store), store);
      const more = [entry(30), pin("late"), lift("early"), pin("lifted"), entry(31)];
      const grown = (await resumed(store)).thread.appendEntries(structuredClone(more));
      await store.threads.append(THREAD, structuredClone(more), ANY);
      assert.equal(grown.digest, (await loaded(store)).digest);
      await standsFor(await resumed(store), store);
      await standsFor({ ...(await resumed(store)), thread: grown }, store);
      await fold(store, 2);
      await standsFor(await resumed(store), store);
    },
  },
  {
    name: "what a resumed thread left in the store is never mistaken for something that does not exist",
    async holds({ store }) {
      await store.threads.append(THREAD, structuredClone(LOG), ANY);
      const whole = await fold(store);
      const { thread, plan } = await resumed(store);
      const expected = await loaded(store);
      const asked: readonly (readonly [ask: () => unknown, answer: unknown])[] = [
        [() => [...thread.messages].length, expected.length],
        [() => thread.message(asMessageId("m3"))?.id, "m3"],
        [() => thread.messageAt(3)?.id, "m3"],
        [() => thread.atVersion(4).digest, expected.atVersion(4).digest],
        [() => serializePlan(plan), serializePlan(whole)],
        [() => planRecords(plan).map(({ span }) => span.messageIds.length), [5, 8, 1]],
      ];
      for (const [ask, answer] of asked) assert.deepEqual(orNotLoaded(ask, answer), answer);
    },
  },
  {
    name: "C11 a plan that hides a lot comes back byte for byte, by its version and as the newest",
    async holds({ store }) {
      const ids = Array.from({ length: 200 }, (_, number) => entry(number));
      await store.threads.append(THREAD, ids, ANY);
      const { messages } = await loaded(store);
      const span = spanOf([...messages].slice(2, 190));
      const plan = sealPlan({
        ...groupRecords([
          { action: "drop", span, strategy: "s", reason: "r", sincePlanVersion: 1, originalTokens: 1, keywords: [] },
        ]),
        threadId: THREAD,
        threadVersion: 200,
        version: 1,
        policyVersion: "law",
        createdAt: START,
        originalTokens: 2,
        compactedTokens: 1,
      });
      await store.plans.commitPlan(THREAD, plan, 0);
      for (const kept of [(await store.plans.getCurrentPlan(THREAD)).plan, await store.plans.getPlan(THREAD, 1)]) {
        assert.ok(kept);
        assert.equal(serializePlan(kept), serializePlan(plan));
        assertFrozen(kept);
      }
      const ranges = rangesOf(store);
      const known = await ranges.loadPlan(THREAD, 1);
      assert.ok(known, "ranges find no plan of version 1");
      assert.deepEqual(shownBy(known), shownBy(plan));
      assert.equal(known.planId, plan.planId);
      for (const version of [2, -1, 0, 1.5, Number.NaN])
        assert.equal(await ranges.loadPlan(THREAD, version), null, `version ${version}`);
      const found = await resumed(store);
      const outline = outlineOf((found.plan.drops[0] as PlanRecord).span);
      assert.ok(outline === undefined || outline.count === 188);
      await standsFor(found, store);
    },
  },
];

/** Returns what a plan does at each place of a thread of 200 messages. */
const shownBy = (plan: CompactionPlan): readonly string[] =>
  Array.from({ length: 200 }, (_, ordinal) => actionOf(plan, asMessageId(`m${ordinal}`), ordinal).action);
