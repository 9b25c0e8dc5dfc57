import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { AgentThread, type ThreadfoldStore } from "@threadfold/core";
import { afterAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { dropPlan, entry, lift, OTHER_THREAD, pin, THREAD, transcript } from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { type PostgresDriver, pgliteDriver } from "../postgres/postgres-driver.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import { MANY_ENTRIES } from "../shared/store-basics.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
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
  database ??= await PGlite.create();
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

describe.each(backends)("a sealed thread of a store without its keys, in %s", (_name, open) => {
  it("takes nothing in the clear, from this process or another one, and opens with its keys as before", async () => {
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

  it("is refused when it is read as a whole or resumed, and is not with its keys", async () => {
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

  it("is not what a thread in the clear becomes when somebody pastes an envelope into it", async () => {
    const { store, again } = await open();
    const pasted = await envelope();
    await store.threads.append(THREAD, [entry(0), entry(4, pasted)], { expectedVersion: 0 });
    await refuseSealedThread(store, (await store.threads.load(THREAD)) as AgentThread);
    for (const [index, bare] of [store, again].entries())
      await bare.threads.append(THREAD, [entry(8 + index)], { expectedVersion: "any" });
    await store.threads.append(OTHER_THREAD, [entry(0, `Look: ${pasted}`), entry(1)], { expectedVersion: 0 });
    await store.threads.append(OTHER_THREAD, [entry(4, `${pasted} and more`)], { expectedVersion: 2 });
    await again.threads.append(OTHER_THREAD, [entry(5)], { expectedVersion: 3 });
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    await again.close();
  });
});

describe("verify", () => {
  it("reports where a thread ceases to be sealed, and where it begins to be", async () => {
    const path = freshPath();
    const inner = await openSqliteStore(path);
    const sealed = encryptedStore(inner, memoryKeyStore());
    await sealed.threads.append(THREAD, transcript(3), { expectedVersion: 0 });
    const stored = (await inner.threads.load(THREAD))?.entries ?? [];
    const mixed = createMemoryStore();
    // Versions without the guard wrote such threads.
    await mixed.threads.append(THREAD, [...stored, entry(3), entry(4)], { expectedVersion: 0 });
    await mixed.threads.append(OTHER_THREAD, [entry(10), ...stored], { expectedVersion: 0 });
    expect(await verifyStore(mixed)).toEqual([
      { family: "entries", threadId: THREAD, at: 4, problem: expect.stringContaining("in the clear") },
      { family: "entries", threadId: OTHER_THREAD, at: 2, problem: expect.stringContaining("is sealed") },
    ]);
    await expect(refuseSealedThread(mixed, (await mixed.threads.load(THREAD)) as AgentThread)).rejects.toMatchObject(
      REFUSAL,
    );
    await inner.close();
    expect(readFileSync(path).includes("text 0")).toBe(false);
  });
});
