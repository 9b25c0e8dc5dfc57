import assert from "node:assert/strict";
import { asMessageId, asThreadId, type ThreadEntryInput, type ThreadId } from "@threadfold/core";
import {
  entry,
  expectedThread,
  HOSTILE_TEXTS,
  lift,
  message,
  OTHER_THREAD,
  pin,
  START,
  START_MS,
  THREAD,
  transcript,
} from "./sample-data.ts";
import { assertFrozen, holds, loaded, refuses, type StoreCheck } from "./store-check.ts";

const ANY = { expectedVersion: "any" } as const;

/** Enough entries that a store yields to the event loop while it appends them. */
const MANY = 1_500;
const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Laws of threads: what was appended is read back. */
export const threadLaws: readonly StoreCheck[] = [
  {
    name: "a thread that nobody appended to does not exist",
    async holds({ store }) {
      assert.equal(await store.threads.load(THREAD), null);
      assert.deepEqual(await store.threads.list(), { items: [], nextCursor: null });
      assert.deepEqual(await store.threads.append(THREAD, [], ANY), { version: 0, appended: 0 });
      assert.equal(await store.threads.load(THREAD), null);
    },
  },
  {
    name: "a thread loads as it was at each of its versions",
    async holds({ store }) {
      const entries = [...transcript(5), pin("p1"), entry(5), lift("p1"), entry(6)];
      await store.threads.append(THREAD, structuredClone(entries), ANY);
      const expected = expectedThread(entries);
      for (let version = 0; version <= entries.length + 1; version++) {
        const thread = await loaded(store, THREAD, version);
        assert.equal(thread.digest, expected.atVersion(version).digest);
        assert.equal(thread.version, Math.min(version, entries.length));
        assert.deepEqual(thread.livePins, expected.pinsAt(version));
      }
      await refuses("INVALID_CONFIG", () => store.threads.load(THREAD, { atVersion: -1 }));
    },
  },
  {
    name: "any well-formed text and any message id come back as they were",
    async holds({ store }) {
      const entries = HOSTILE_TEXTS.map((text, number) => entry(number, text));
      const ids = ["__proto__", "constructor", "消息", "a:b|c/d", " ", "𝔘", "nul\0inside"].map(
        (id): ThreadEntryInput => ({ type: "message", message: { ...message(0), id: asMessageId(id) } }),
      );
      await store.threads.append(THREAD, structuredClone(entries), ANY);
      for (const one of ids) await store.threads.append(THREAD, [structuredClone(one)], ANY);
      assert.deepEqual(await store.threads.append(THREAD, structuredClone(ids), ANY), {
        version: entries.length + ids.length,
        appended: 0,
      });
      await holds(store, [...entries, ...ids]);
      assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    },
  },
  {
    name: "a message of ten megabytes comes back as it was",
    async holds({ store }) {
      const large = entry(0, "0123456789é".repeat(900_000));
      await store.threads.append(THREAD, [large], ANY);
      await holds(store, [large]);
    },
  },
  {
    name: "threads are kept separate, whatever their ids are",
    async holds({ store }) {
      const ids = [
        "a",
        "A",
        "a ",
        "\u00e4",
        "a\u0308",
        "__proto__",
        "\uFFFD",
        "'; DROP TABLE threads; --",
        "x".repeat(512),
      ].map(asThreadId);
      for (const [index, id] of ids.entries())
        await store.threads.append(id, transcript(index + 1), { expectedVersion: "no-thread" });
      for (const [index, id] of ids.entries()) assert.equal((await loaded(store, id)).version, index + 1);
      for (const id of ["", "\ud800", "a\0b", "x".repeat(513)].map(asThreadId)) {
        await refuses("INVALID_CONFIG", () => store.threads.append(id, transcript(1), ANY), `id ${JSON.stringify(id)}`);
        assert.equal(await store.threads.load(id), null, `id ${JSON.stringify(id)}`);
      }
    },
  },
  {
    name: "a listing returns every thread once, page by page, with its versions and times",
    async holds({ store, clock }) {
      const ids = Array.from({ length: 7 }, (_, index) => asThreadId(`thread-${index}`));
      for (const id of ids) await store.threads.append(id, transcript(1), ANY);
      clock.set(START_MS + 5_000);
      await store.threads.append(ids[0] as ThreadId, [entry(1)], ANY);
      for (const limit of [1, 2, 3, 7, 8, 1_000_000]) {
        const seen: ThreadId[] = [];
        let cursor: string | null | undefined;
        do {
          const page = await store.threads.list(cursor === undefined ? { limit } : { limit, cursor: cursor as string });
          assert.ok(
            page.items.length > 0 && page.items.length <= limit,
            `a page of at most ${limit} threads has ${page.items.length}`,
          );
          seen.push(...page.items.map(({ threadId }) => threadId));
          cursor = page.nextCursor;
        } while (cursor !== null);
        assert.deepEqual(seen, ids);
      }
      const [first] = (await store.threads.list({ limit: 1 })).items;
      const updatedAt = new Date(START_MS + 5_000).toISOString();
      assert.deepEqual(first, { threadId: ids[0], version: 2, planVersion: 0, createdAt: START, updatedAt });
      assert.deepEqual(await store.threads.list({ cursor: "999999999999999" }), { items: [], nextCursor: null });
      for (const options of [
        { limit: 0 },
        { limit: -1 },
        { limit: 1.5 },
        { cursor: "" },
        { cursor: "x" },
        { cursor: "-1" },
      ]) {
        await refuses("INVALID_CONFIG", () => store.threads.list(options), JSON.stringify(options));
      }
    },
  },
  {
    name: "what the store returns cannot be used to change it",
    async holds({ store }) {
      const result = await store.threads.append(THREAD, transcript(3), { expectedVersion: 0, idempotencyKey: "key" });
      const thread = await loaded(store);
      assertFrozen(result);
      for (const one of thread.entries) assertFrozen(one);
      assertFrozen(await store.threads.list());
      thread.append([message(3)]);
      await store.threads.append(THREAD, [entry(3, "another fourth")], { expectedVersion: 3 });
      await holds(store, [...transcript(3), entry(3, "another fourth")]);
    },
  },
];

/** Laws of appends: what they may do to a thread. */
export const appendLaws: readonly StoreCheck[] = [
  {
    name: "entries come back in order, whether appended one by one or at once",
    async holds({ store }) {
      const entries = [
        ...transcript(9),
        pin("p1"),
        entry(9),
        lift("p1", "system"),
        pin("p1", "user", "again"),
        pin("p2"),
      ];
      for (const [index, one] of entries.entries()) {
        const result = await store.threads.append(THREAD, [structuredClone(one)], { expectedVersion: index });
        assert.deepEqual(result, { version: index + 1, appended: 1 });
      }
      await holds(store, entries);
      await store.threads.append(OTHER_THREAD, structuredClone(entries), { expectedVersion: "no-thread" });
      assert.equal((await loaded(store, OTHER_THREAD)).digest, expectedThread(entries, OTHER_THREAD).digest);
    },
  },
  {
    name: "C1 layer-38 an append at the expected version succeeds, and a stale one is refused and leaves the log alone",
    async holds({ store }) {
      await store.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
      for (const expectedVersion of [0, 1, 3, -1, 1.5, "no-thread"] as const) {
        await refuses(
          "VERSION_CONFLICT",
          () => store.threads.append(THREAD, [entry(2)], { expectedVersion }),
          `an append to version 2 that expects ${expectedVersion}`,
        );
      }
      await refuses("VERSION_CONFLICT", () => store.threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 1 }));
      assert.deepEqual(await store.threads.append(THREAD, [entry(2)], { expectedVersion: 2 }), {
        version: 3,
        appended: 1,
      });
      assert.deepEqual(await store.threads.append(THREAD, [entry(3)], ANY), { version: 4, appended: 1 });
      await holds(store, transcript(4));
      assert.equal(await store.threads.load(OTHER_THREAD), null);
    },
  },
  {
    name: "C2 of many appends at one version exactly one succeeds",
    async holds({ store }) {
      for (let version = 0; version < 5; version++) {
        const tries = Array.from({ length: 8 }, (_, index) =>
          store.threads.append(THREAD, [entry(version * 8 + index)], { expectedVersion: version }),
        );
        const outcomes = await Promise.allSettled(tries);
        assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      }
      assert.equal((await loaded(store)).version, 5);
    },
  },
  {
    name: "an append of many entries is seen whole or not at all, by whoever reads or appends meanwhile",
    async holds({ store }) {
      await store.threads.append(THREAD, transcript(2), ANY);
      let isRunning = true;
      const many = store.threads.append(THREAD, transcript(MANY), { expectedVersion: 2 }).finally(() => {
        isRunning = false;
      });
      const behind = store.threads.append(OTHER_THREAD, transcript(1), ANY);
      while (isRunning) {
        assert.ok([2, MANY].includes((await loaded(store)).version));
        await turnOfTheLoop();
      }
      assert.deepEqual(await many, { version: MANY, appended: MANY - 2 });
      assert.deepEqual(await behind, { version: 1, appended: 1 });
      await holds(store, transcript(MANY));
      await refuses("VERSION_CONFLICT", () => store.threads.append(THREAD, transcript(MANY), { expectedVersion: 2 }));
    },
  },
  {
    name: "an append of many entries that is aborted leaves the log alone, unless it had already been done",
    async holds({ store }) {
      await store.threads.append(THREAD, transcript(2), ANY);
      for (let turns = 0; turns < 4; turns++) {
        const stop = new AbortController();
        const append = store.threads.append(THREAD, transcript(MANY), { expectedVersion: 2, signal: stop.signal });
        const done = append.then(
          () => true,
          (error: unknown) => {
            assert.equal(error, stop.signal.reason);
            return false;
          },
        );
        for (let turn = 0; turn < turns; turn++) await turnOfTheLoop();
        stop.abort();
        if (await done) return holds(store, transcript(MANY));
        await holds(store, transcript(2));
      }
      await store.threads.append(THREAD, transcript(MANY), { expectedVersion: 2 });
      await holds(store, transcript(MANY));
    },
  },
  {
    name: "R8 an idempotency key returns the first result again, even when the thread has moved on",
    async holds({ store }) {
      const keyed = { expectedVersion: 0, idempotencyKey: "key" };
      const first = await store.threads.append(THREAD, transcript(3), keyed);
      await store.threads.append(THREAD, [entry(3)], ANY);
      assert.deepEqual(await store.threads.append(THREAD, transcript(3), keyed), first);
      assert.deepEqual(await store.threads.append(THREAD, transcript(3), { ...keyed, expectedVersion: "any" }), first);
      await holds(store, transcript(4));
      assert.deepEqual(await store.threads.append(OTHER_THREAD, transcript(1), keyed), { version: 1, appended: 1 });
    },
  },
  {
    name: "an idempotency key that belongs to other entries is refused, and one of a refused append counts as unused",
    async holds({ store }) {
      await store.threads.append(THREAD, transcript(2), { expectedVersion: 0, idempotencyKey: "key" });
      await refuses("IDEMPOTENCY_MISMATCH", () =>
        store.threads.append(THREAD, transcript(3), { expectedVersion: 2, idempotencyKey: "key" }),
      );
      await refuses("VERSION_CONFLICT", () =>
        store.threads.append(THREAD, [entry(2)], { expectedVersion: 0, idempotencyKey: "k2" }),
      );
      assert.deepEqual(await store.threads.append(THREAD, [entry(3)], { expectedVersion: 2, idempotencyKey: "k2" }), {
        version: 3,
        appended: 1,
      });
    },
  },
  {
    name: "C5 a message that already exists is skipped, and the same id with other content is refused",
    async holds({ store }) {
      await store.threads.append(THREAD, transcript(3), ANY);
      assert.deepEqual(await store.threads.append(THREAD, transcript(4), ANY), { version: 4, appended: 1 });
      assert.deepEqual(await store.threads.append(THREAD, [entry(4), entry(4)], ANY), { version: 5, appended: 1 });
      await refuses("DUPLICATE_MESSAGE_ID", () => store.threads.append(THREAD, [entry(5), entry(1, "other")], ANY));
      await refuses("DUPLICATE_MESSAGE_ID", () => store.threads.append(THREAD, [entry(6), entry(6, "other")], ANY));
      await holds(store, transcript(5));
    },
  },
  {
    name: "pins and their liftings follow the rules of the thread, across appends",
    async holds({ store }) {
      await store.threads.append(THREAD, [pin("p1", "operator")], ANY);
      assert.deepEqual(await store.threads.append(THREAD, [pin("p1", "operator")], ANY), { version: 1, appended: 0 });
      await refuses("INVALID_PIN", () => store.threads.append(THREAD, [pin("p1", "operator", "other")], ANY));
      await refuses("INVALID_PIN", () => store.threads.append(THREAD, [lift("p1", "user")], ANY));
      await refuses("INVALID_PIN", () => store.threads.append(THREAD, [lift("unknown", "system")], ANY));
      await store.threads.append(THREAD, [lift("p1", "operator")], ANY);
      await refuses("INVALID_PIN", () => store.threads.append(THREAD, [lift("p1", "system")], ANY));
      await holds(store, [pin("p1", "operator"), lift("p1", "operator")]);
    },
  },
  {
    name: "an append is kept whole or not at all",
    async holds({ store }) {
      const broken: readonly (readonly [string, unknown])[] = [
        ["INVALID_MESSAGE", { type: "message", message: { ...message(9), role: "nobody" } }],
        ["INVALID_MESSAGE", { type: "message", message: message(8, "lone \ud800 surrogate") }],
        ["INVALID_MESSAGE", { type: "remark" }],
        ["INVALID_MESSAGE", { type: "message", message: { ...message(8), id: "\ud800" } }],
        ["INVALID_PIN", { type: "pin", pin: { id: "p" } }],
      ];
      await store.threads.append(THREAD, transcript(2), ANY);
      for (const [code, input] of broken) {
        const given = `an append that ends in ${JSON.stringify(input)}`;
        await refuses(
          code as "INVALID_MESSAGE",
          () => store.threads.append(THREAD, [entry(2), pin("p0"), input as ThreadEntryInput], ANY),
          given,
        );
        await refuses(
          code as "INVALID_MESSAGE",
          () => store.threads.append(OTHER_THREAD, [entry(2), input as ThreadEntryInput], ANY),
          given,
        );
      }
      await holds(store, transcript(2));
      assert.equal(await store.threads.load(OTHER_THREAD), null);
    },
  },
];
