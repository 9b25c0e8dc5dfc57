import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { AgentThread, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { afterAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import {
  dropPlan,
  entry,
  lift,
  metadata,
  OTHER_THREAD,
  pin,
  START_MS,
  THREAD,
  transcript,
} from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { type PostgresDriver, pgliteDriver } from "../postgres/postgres-driver.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import { MANY_ENTRIES } from "../shared/store-basics.ts";
import { threadTitle, titleThread } from "../shared/threads.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { freshPGlite } from "../testing/services.ts";
import { encryptedStore } from "./encrypted-store.ts";
import { refuseSealedThread } from "./encrypted-threads.ts";
import { memoryKeyStore } from "./subject-keys.ts";

const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let names = 0;
const freshPath = (): string => join(root, `${++names}.db`);

let database: PGlite | undefined;
afterAll(() => database?.close());
const postgres = async (): Promise<PostgresDriver> => {
  database ??= await freshPGlite();
  return pgliteDriver(database);
};

/** How to open a store, and the same one from another process. */
type Backend = () => Promise<{ readonly store: ThreadfoldStore; readonly again: ThreadfoldStore }>;

const backends: readonly (readonly [string, Backend])[] = [
  [
    "memory",
    async () => {
      const store = createMemoryStore();
      return { store, again: store };
    },
  ],
  [
    "SQLite",
    async () => {
      const path = freshPath();
      return { store: await openSqliteStore(path), again: await openSqliteStore(path) };
    },
  ],
  [
    "PostgreSQL",
    async () => {
      const tenantId = `tenant ${++names}`;
      const store = await openPostgresStore(await postgres(), { tenantId });
      return { store, again: await openPostgresStore(await postgres(), { tenantId }) };
    },
  ],
];

/** A text that looks like an envelope, as somebody may paste one. */
async function envelope(): Promise<string> {
  const inner = createMemoryStore();
  await encryptedStore(inner, memoryKeyStore()).threads.append(THREAD, [entry(0)], { expectedVersion: 0 });
  const [part] = (await inner.threads.load(THREAD))?.messageAt(0)?.parts ?? [];
  return part?.type === "text" ? part.text : "";
}

const REFUSAL = {
  code: "KEY_MISSING",
  details: { threadId: THREAD },
  hint: expect.stringContaining("encryption: { keys }"),
};

describe.each(backends)("a sealed thread in a store opened without its keys, in %s", (_name, open) => {
  it("accepts no entry in the clear from this or another connection, and still opens with its keys", async () => {
    const { store, again } = await open();
    const sealed = encryptedStore(store, memoryKeyStore());
    await sealed.threads.append(THREAD, transcript(4), { expectedVersion: 0 });
    await sealed.threads.append(THREAD, [pin("p1")], { expectedVersion: 4 });
    for (const [who, bare] of Object.entries({ "this process": store, "another one": again })) {
      for (const [what, entries] of Object.entries({
        message: [entry(20)],
        pin: [pin("p2")],
        lifting: [lift("p1")],
        many: Array.from({ length: MANY_ENTRIES }, (_, index) => entry(100 + index)),
      }))
        for (const options of [
          { expectedVersion: "any" },
          { expectedVersion: 5, idempotencyKey: `${who} ${what}` },
        ] as const)
          await expect(bare.threads.append(THREAD, entries, options), `${what} by ${who}`).rejects.toMatchObject(
            REFUSAL,
          );
      expect((await bare.threads.append(THREAD, [], { expectedVersion: 5 })).appended).toBe(0);
      await bare.threads.append(OTHER_THREAD, [entry(names++)], { expectedVersion: "any" });
    }
    await sealed.threads.append(THREAD, [entry(4)], { expectedVersion: 5, idempotencyKey: "with keys" });
    expect((await sealed.threads.load(THREAD))?.version).toBe(6);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    await again.close();
  });

  it("accepts no plan, artifact or title in the clear, and still opens with its keys", async () => {
    const { store, again } = await open();
    const sealed = encryptedStore(store, memoryKeyStore());
    await sealed.threads.append(THREAD, transcript(8), { expectedVersion: 0 });
    const messages = [...((await sealed.threads.load(THREAD))?.messages ?? [])];
    const plan = (version: number) => dropPlan(messages.slice(0, 2 * version), { version, threadVersion: 8 });
    const title = (bare: ThreadfoldStore, text: string) => titleThread(bare, THREAD, text, { now: () => START_MS });
    for (const [index, bare] of [store, again].entries()) {
      await expect(bare.plans.commitPlan(THREAD, plan(index + 1), index)).rejects.toMatchObject(REFUSAL);
      await expect(bare.artifacts.store("text 0", metadata())).rejects.toMatchObject(REFUSAL);
      await expect(bare.artifacts.store(`${await envelope()}!`, metadata())).rejects.toMatchObject(REFUSAL);
      await expect(title(bare, "About text 0")).rejects.toMatchObject(REFUSAL);
      expect((await sealed.plans.commitPlan(THREAD, plan(index + 1), index)).status).toBe("committed");
      await title(sealed, `Title ${index}`);
      expect(await threadTitle(sealed, THREAD)).toBe(`Title ${index}`);
    }
    expect((await sealed.plans.getCurrentPlan(THREAD)).version).toBe(2);
    expect(await store.artifacts.list(THREAD)).toHaveLength(2);
    // A plan that folds nothing says nothing.
    await store.plans.commitPlan(THREAD, dropPlan([], { version: 3, threadVersion: 8 }), 2);
    expect((await sealed.plans.getCurrentPlan(THREAD)).version).toBe(3);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    await again.close();
  });

  it("is refused when it is loaded or resumed, but not with its keys", async () => {
    const { store, again } = await open();
    const sealed = encryptedStore(store, memoryKeyStore());
    const count = 20;
    await sealed.threads.append(THREAD, [entry(0, await envelope()), ...transcript(count).slice(1)], {
      expectedVersion: 0,
    });
    const whole = await store.threads.load(THREAD);
    await expect(refuseSealedThread(store, whole as AgentThread)).rejects.toMatchObject(REFUSAL);
    const opened = await sealed.threads.load(THREAD);
    await refuseSealedThread(sealed, opened as AgentThread);
    const hidden = opened?.messagesBetween(0, count - 2) ?? [];
    await sealed.plans.commitPlan(THREAD, dropPlan(hidden, { version: 1, threadVersion: count }), 0);
    const resumed = await store.ranges?.resume(THREAD);
    await expect(refuseSealedThread(store, resumed?.thread as AgentThread)).rejects.toMatchObject(REFUSAL);
    await refuseSealedThread(sealed, (await sealed.ranges?.resume(THREAD))?.thread as AgentThread);
    await refuseSealedThread(store, AgentThread.empty(THREAD));
    await store.close();
    await again.close();
  });

  it("is not confused with a thread in the clear into which somebody pastes an envelope", async () => {
    const { store, again } = await open();
    const pasted = await envelope();
    await store.threads.append(THREAD, [entry(0), entry(4, pasted)], { expectedVersion: 0 });
    await refuseSealedThread(store, (await store.threads.load(THREAD)) as AgentThread);
    for (const [index, bare] of [store, again].entries())
      await bare.threads.append(THREAD, [entry(8 + index)], { expectedVersion: "any" });
    await store.threads.append(OTHER_THREAD, [entry(0, `Look: ${pasted}`), entry(1)], { expectedVersion: 0 });
    await store.threads.append(OTHER_THREAD, [entry(4, `${pasted} and more`)], { expectedVersion: 2 });
    for (const threadId of [THREAD, OTHER_THREAD]) {
      const [first] = (await store.threads.load(threadId))?.messages ?? [];
      const plan = dropPlan(first === undefined ? [] : [first], { version: 1, threadVersion: 1, threadId });
      expect((await again.plans.commitPlan(threadId, plan, 0)).status).toBe("committed");
      for (const content of ["text", pasted])
        expect(
          await store.artifacts.retrieve(await again.artifacts.store(content, metadata({ threadId }))),
        ).toMatchObject({
          content,
        });
    }
    await again.threads.append(OTHER_THREAD, [entry(5)], { expectedVersion: 3 });
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    await again.close();
  });
});

describe.each(backends)("a thread begun before encryption was turned on, in %s", (_name, open) => {
  it("is refused on every read, with its id and a hint to begin a new thread", async () => {
    const { store, again } = await open();
    await store.threads.append(THREAD, transcript(8), { expectedVersion: 0 });
    const messages = [...((await store.threads.load(THREAD))?.messages ?? [])];
    await store.plans.commitPlan(THREAD, dropPlan(messages.slice(0, 2), { version: 1, threadVersion: 8 }), 0);
    const artifactId = await store.artifacts.store("text", metadata());
    const sealed = encryptedStore(again, memoryKeyStore());
    const refusal = {
      code: "UNSEAL_FAILED",
      message: expect.stringMatching(new RegExp(`${THREAD} .*in the clear`)),
      hint: expect.stringMatching(/without keys.*new thread/),
      details: { threadId: THREAD },
    };
    for (const read of [
      () => sealed.threads.load(THREAD),
      () => sealed.ranges?.loadRange(THREAD, { fromVersion: 2 }),
      () => sealed.plans.getCurrentPlan(THREAD),
      () => sealed.artifacts.retrieve(artifactId),
    ])
      await expect((async () => read())(), String(read)).rejects.toMatchObject(refusal);
    // What the hint advises.
    const begunAnew = messages.map((message) => ({ type: "message", message }) as const);
    await sealed.threads.append(OTHER_THREAD, begunAnew, { expectedVersion: 0 });
    expect((await sealed.threads.load(OTHER_THREAD))?.length).toBe(8);
    await store.close();
    await again.close();
  });
});

describe("verify", () => {
  it("reports the entry at which a thread stops or starts being sealed", async () => {
    const path = freshPath();
    const inner = await openSqliteStore(path);
    const keys = memoryKeyStore();
    const sealed = encryptedStore(inner, keys);
    await sealed.threads.append(THREAD, transcript(3), { expectedVersion: 0 });
    const stored = (await inner.threads.load(THREAD))?.entries ?? [];
    const mixed = createMemoryStore();
    // Versions without the guard wrote such threads.
    await mixed.threads.append(THREAD, [...stored, entry(3), entry(4)], { expectedVersion: 0 });
    await mixed.threads.append(OTHER_THREAD, [entry(10), ...stored], { expectedVersion: 0 });
    expect(await verifyStore(mixed)).toEqual([
      {
        family: "entries",
        threadId: THREAD,
        at: 4,
        problem: expect.stringMatching(/in the clear.* at version 3 with its keys/),
      },
      {
        family: "entries",
        threadId: OTHER_THREAD,
        at: 2,
        problem: expect.stringMatching(/is sealed.* at version 1 without keys/),
      },
    ]);
    expect((await mixed.threads.load(OTHER_THREAD, { atVersion: 1 }))?.version).toBe(1);
    const alone = createMemoryStore();
    await alone.threads.append(THREAD, [...stored, entry(3)], { expectedVersion: 0 });
    const withKeys = encryptedStore(alone, keys);
    await expect(withKeys.threads.load(THREAD)).rejects.toMatchObject({ code: "UNSEAL_FAILED" });
    const before = [...((await withKeys.threads.load(THREAD, { atVersion: 3 }))?.entries ?? [])];
    await withKeys.threads.append(asThreadId("anew"), before, { expectedVersion: "no-thread" });
    expect((await withKeys.threads.load(asThreadId("anew")))?.messageAt(2)).toMatchObject({ id: "m2" });
    await expect(refuseSealedThread(mixed, (await mixed.threads.load(THREAD)) as AgentThread)).rejects.toMatchObject(
      REFUSAL,
    );
    await inner.close();
    expect(readFileSync(path).includes("text 0")).toBe(false);
  });
});
