import assert from "node:assert/strict";
import type { ThreadEntryInput } from "@threadfold/core";
import { holds, loaded } from "./kept-thread.ts";
import { entry, expectedThread, lift, message, OTHER_THREAD, pin, THREAD, transcript } from "./sample-data.ts";
import { refuses, type StoreLaw } from "./store-law.ts";

const ANY = { expectedVersion: "any" } as const;

/** What an append may do to a thread. */
export const appendLaws: readonly StoreLaw[] = [
  {
    name: "entries come back in their places, whether appended one by one or at once",
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
    name: "C1 an append at the expected version succeeds, and a stale one is refused and leaves the log alone",
    async holds({ store }) {
      await store.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
      for (const expectedVersion of [0, 1, 3, -1, 1.5, "no-thread"] as const) {
        await refuses("VERSION_CONFLICT", () => store.threads.append(THREAD, [entry(2)], { expectedVersion }));
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
    name: "R8 an idempotency key gives the first result again, also when the thread has moved on",
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
    name: "an idempotency key that stands for other entries is refused, and one of a refused append stands for nothing",
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
    name: "C5 a message that is there already is skipped, and the same id with other content is refused",
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
    name: "pins and their liftings follow the rules of the thread, over appends",
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
        await refuses(code as "INVALID_MESSAGE", () =>
          store.threads.append(THREAD, [entry(2), pin("p0"), input as ThreadEntryInput], ANY),
        );
        await refuses(code as "INVALID_MESSAGE", () =>
          store.threads.append(OTHER_THREAD, [entry(2), input as ThreadEntryInput], ANY),
        );
      }
      await holds(store, transcript(2));
      assert.equal(await store.threads.load(OTHER_THREAD), null);
    },
  },
];
