import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  asMessageId,
  type CompactionPlan,
  canonicalJson,
  digestOf,
  emptyPlan,
  type KeyStore,
  LONGEST_HASHED_SPAN,
  type PinEntry,
  type PinLiftedEntry,
  parsePlan,
  planDiff,
  type SubjectKey,
  sha256,
  type ThreadEntry,
  type ThreadfoldStore,
} from "@threadfold/core";
import { keepLaws } from "@threadfold/core/laws";
import { afterAll, describe, expect, it } from "vitest";
import { exportAudit } from "../audit/audit-file.ts";
import { makeCheckpoint } from "../audit/checkpoint.ts";
import { verifyAudit } from "../audit/verify-audit.ts";
import { verifyStore } from "../audit/verify-store.ts";
import { dropPlan, entry, lift, metadata, OTHER_THREAD, pin, START, THREAD, transcript } from "../laws/sample-data.ts";
import { storeLaws } from "../laws/store-laws.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { encryptedStore } from "./encrypted-store.ts";
import { Sealer, sealedPlaces } from "./sealer.ts";
import { memoryKeyStore } from "./subject-keys.ts";

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const freshPath = (): string => join(folder, `${++files}.db`);

keepLaws(
  "encrypted memory store",
  storeLaws({
    isSealed: true,
    open: async ({ clock }) => encryptedStore(createMemoryStore({ clock }), memoryKeyStore()),
  }),
  { describe, it },
);

let path = "";
let keys: KeyStore = memoryKeyStore();
keepLaws(
  "encrypted SQLite store",
  storeLaws({
    isSealed: true,
    open: async ({ clock }) => {
      [path, keys] = [freshPath(), memoryKeyStore()];
      return encryptedStore(await openSqliteStore(path, { clock }), keys);
    },
    reopen: async ({ clock }) => encryptedStore(await openSqliteStore(path, { clock }), keys),
  }),
  { describe, it },
);

describe("a key store whose keys have not 32 bytes", () => {
  const text = "ab".repeat(40);
  const shaped = (bytes: unknown): KeyStore => {
    const key = async () => ({ version: 1, bytes }) as SubjectKey;
    return { get: key, getOrCreate: key, rotate: key, shred: async () => true, isShredded: async () => false };
  };
  const wrong = [new Uint8Array(0), new Uint8Array(16), new Uint8Array(33), text, text.slice(0, 32), undefined];

  it.each(wrong.map((bytes) => [bytes]))("is refused before anything is sealed or opened: %s", async (bytes) => {
    const inner = createMemoryStore();
    const sealing = encryptedStore(inner, shaped(bytes)).threads.append(THREAD, transcript(1), { expectedVersion: 0 });
    const refusal = {
      code: "INVALID_CONFIG",
      message: expect.stringContaining(THREAD),
      details: { subject: canonicalJson([null, THREAD]), version: 1 },
    };
    await expect(sealing).rejects.toMatchObject(refusal);
    await expect(sealing).rejects.not.toMatchObject({ message: expect.stringContaining("abab") });
    expect(await inner.threads.load(THREAD)).toBeNull();
    await encryptedStore(inner, memoryKeyStore()).threads.append(THREAD, transcript(1), { expectedVersion: 0 });
    const opening = encryptedStore(inner, shaped(bytes)).threads.load(THREAD);
    await expect(opening).rejects.toMatchObject(refusal);
  });

  it("is told to keep a key that may have sealed something, and how what it sealed is read", async () => {
    const opening = encryptedStore(createMemoryStore(), shaped(new Uint8Array(16)));
    const hint = expect.stringMatching(
      /^Do not replace the key: nothing else opens what it sealed\. .*an earlier build/,
    );
    const message = expect.stringMatching(/it has 16 bytes, and a key has 32 bytes\.$/);
    await expect(opening.threads.append(THREAD, transcript(1), { expectedVersion: 0 })).rejects.toMatchObject({
      message,
      hint,
    });
    for (const bytes of [undefined, new Uint8Array(0)]) {
      const made = encryptedStore(createMemoryStore(), shaped(bytes));
      await expect(made.threads.append(THREAD, transcript(1), { expectedVersion: 0 })).rejects.toMatchObject({
        hint: expect.stringMatching(/^Have the key store return \{ version, bytes \} with 32 random bytes\./),
      });
    }
  });

  it("is refused when it makes or rotates such a key, too", async () => {
    for (const call of ["getOrCreate", "rotate"] as const) {
      const { keys } = sealedPlaces({ ...shaped(new Uint8Array(8)), get: async () => null }, {})(THREAD);
      await expect(keys[call]("ada")).rejects.toMatchObject({ code: "INVALID_CONFIG", details: { subject: "ada" } });
    }
  });
});

describe("a sealed plan with a long span", () => {
  const former = ({ planId: _planId, createdAt, ...hashed }: CompactionPlan): CompactionPlan =>
    parsePlan(canonicalJson({ ...hashed, createdAt, planId: digestOf(hashed) }));

  it.each([
    ["keeps its id", (plan: CompactionPlan) => plan],
    ["keeps the id that it had before such spans were hashed on their own", former],
  ])("%s", async (_title, made) => {
    const store = encryptedStore(await openSqliteStore(freshPath()), memoryKeyStore());
    await store.threads.append(THREAD, transcript(LONGEST_HASHED_SPAN + 9), { expectedVersion: 0 });
    const messages = (await store.threads.load(THREAD))?.messagesBetween(0, LONGEST_HASHED_SPAN + 1) ?? [];
    const plan = made(dropPlan(messages, { version: 1, threadVersion: LONGEST_HASHED_SPAN + 9 }));
    await store.plans.commitPlan(THREAD, plan, 0);
    expect((await store.plans.getCurrentPlan(THREAD)).plan).toEqual(plan);
    expect(await verifyStore(store, THREAD)).toEqual([]);
    await store.close();
  });
});

const SECRET = "Zanzibar-4711";

/** Puts something of every kind into a store, a secret in each. */
async function fill(store: ThreadfoldStore): Promise<void> {
  const entries = [...transcript(4), entry(4, SECRET), entry(5, SECRET), entry(6, SECRET), pin("p1", "user", SECRET)];
  await store.threads.append(THREAD, [...entries, lift("p1")], { expectedVersion: 0, idempotencyKey: "key" });
  const thread = await store.threads.load(THREAD);
  if (thread === null) throw new Error("the thread is there");
  const { digest, version } = thread;
  await store.journal.append(THREAD, { type: "entries-appended", threadVersion: version, threadDigest: digest }, START);
  const plain = dropPlan(thread.messagesBetween(0, 4), { version: 1, threadVersion: version });
  const plan = { ...plain, drops: plain.drops.map((record) => ({ ...record, keywords: [SECRET], reason: SECRET })) };
  const { sealPlan } = await import("@threadfold/core");
  const sealed = sealPlan(plan);
  await store.plans.commitPlan(THREAD, sealed, 0);
  const diffDigest = sha256(canonicalJson(planDiff(emptyPlan(THREAD, "none"), sealed).patches));
  await store.journal.append(
    THREAD,
    { type: "plan-committed", planVersion: 1, planId: sealed.planId, diffDigest },
    START,
  );
  const frame = await store.artifacts.store(SECRET, metadata());
  const payloadDigest = sha256(SECRET);
  const request = { threadVersion: version, planVersion: 1, renderVersion: "1", format: "f", tokenizer: "t" } as const;
  await store.journal.append(
    THREAD,
    { type: "request-rendered", ...request, options: {}, frame, rehydrated: [], payloadDigest, tokens: 1 },
    START,
  );
}

/** All bytes of all files of a store. */
const bytesOf = (store: string): Buffer =>
  Buffer.concat(
    readdirSync(folder)
      .filter((name) => join(folder, name).startsWith(store))
      .map((name) => readFileSync(join(folder, name))),
  );

describe("an encrypted store", () => {
  it("opens no pin whose authority, origin or source was changed, even when the log was chained anew", async () => {
    const keys = memoryKeyStore();
    const inner = createMemoryStore();
    const store = encryptedStore(inner, keys);
    const said = { messageId: asMessageId("m0"), start: 0, end: 4 };
    const ruled = pin("p1") as PinEntry;
    const rule: PinEntry = { ...ruled, pin: { ...ruled.pin, origin: "detector", source: said } };
    await store.threads.append(THREAD, [entry(0), rule, lift("p1", "operator")], { expectedVersion: 0 });
    const kept = (await inner.threads.load(THREAD))?.entries ?? [];
    const changes: ((entry: ThreadEntry) => ThreadEntry)[] = [
      (at) => (at.type === "pin" ? { ...at, pin: { ...at.pin, authority: "operator" } } : at),
      (at) => (at.type === "pin" ? { ...at, pin: { ...at.pin, origin: "policy" } } : at),
      (at) => (at.type === "pin" ? { ...at, pin: { ...at.pin, source: { ...said, end: 5 } } } : at),
      (at) => (at.type === "pin-lifted" ? { ...at, authority: "user" } : at),
    ];
    for (const [index, change] of [(at: ThreadEntry) => at, ...changes].entries()) {
      const forged = createMemoryStore();
      await forged.threads.append(THREAD, [...kept].map(change), { expectedVersion: 0 });
      const load = encryptedStore(forged, keys).threads.load(THREAD);
      if (index === 0) expect((await load)?.version).toBe(3);
      else await expect(load, `change ${index}`).rejects.toMatchObject({ code: "UNSEAL_FAILED" });
    }
  });

  it("opens pins of older versions that were sealed to their id alone", async () => {
    const keys = memoryKeyStore();
    const inner = createMemoryStore();
    const store = encryptedStore(inner, keys);
    await store.threads.append(THREAD, [entry(0)], { expectedVersion: 0 });
    const before = new Sealer(sealedPlaces(keys, {})(THREAD), await keys.getOrCreate(canonicalJson([null, THREAD])));
    const [rule, lifting] = [pin("p1") as PinEntry, lift("p1") as PinLiftedEntry];
    const old = [
      { ...rule, pin: { ...rule.pin, text: before.seal("pin", "p1", "keep p1") } },
      { ...lifting, reason: before.seal("pin-lifted", "p1", "done") },
    ];
    await inner.threads.append(THREAD, old, { expectedVersion: 1 });
    const entries = [...((await store.threads.load(THREAD))?.entries ?? [])];
    expect(entries.slice(1)).toEqual([rule, lifting]);
  });

  it("returns everything it stored and keeps none of it in the clear, not even digests", async () => {
    const [plainPath, sealedPath] = [freshPath(), freshPath()];
    const plain = await openSqliteStore(plainPath);
    const inner = await openSqliteStore(sealedPath);
    const sealed = encryptedStore(inner, memoryKeyStore());
    await fill(plain);
    await fill(sealed);
    const [a, b] = [await plain.threads.load(THREAD), await sealed.threads.load(THREAD)];
    expect(b?.digest).toBe(a?.digest);
    expect(await sealed.plans.getCurrentPlan(THREAD)).toEqual(await plain.plans.getCurrentPlan(THREAD));
    expect(await sealed.plans.listPlans(THREAD)).toEqual(await plain.plans.listPlans(THREAD));
    const [, , request] = await sealed.journal.read(THREAD);
    expect(request?.record).toMatchObject({ payloadDigest: sha256(SECRET) });
    const planId = (await plain.plans.getCurrentPlan(THREAD)).plan?.planId ?? "";
    for (const needle of [SECRET, "text 0", sha256(SECRET), a?.digest ?? "", planId]) {
      expect(bytesOf(plainPath).includes(needle), needle).toBe(true);
      expect(bytesOf(sealedPath).includes(needle), needle).toBe(false);
    }
    expect(await verifyStore(sealed)).toEqual([]);
    expect(sealed.recall).toBeUndefined();
    await makeCheckpoint(sealed, THREAD, { at: START });
    const lines: Buffer[] = [];
    for await (const line of exportAudit(sealed, THREAD, { at: START })) lines.push(Buffer.from(line));
    expect(Buffer.concat(lines).includes(SECRET)).toBe(false);
    // Who has the file checks it without any key.
    expect(await verifyAudit(lines)).toMatchObject({
      problem: null,
      entries: 9,
      plans: 1,
      requests: 1,
      checkpoints: 1,
    });
    await plain.close();
    await sealed.close();
  });

  it("opens content sealed before a key rotation and seals new content with the new key", async () => {
    const inner = createMemoryStore();
    const keyStore = memoryKeyStore();
    const store = encryptedStore(inner, keyStore);
    await store.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
    const subject = canonicalJson([null, THREAD]);
    expect((await keyStore.rotate(subject)).version).toBe(2);
    await store.threads.append(THREAD, [entry(2)], { expectedVersion: 2 });
    expect((await store.threads.load(THREAD))?.length).toBe(3);
    expect((await keyStore.get(subject, 1))?.bytes).not.toEqual((await keyStore.get(subject))?.bytes);
  });

  it("fails with CONTENT_ERASED for an erased subject, and returns null for a thread that never existed", async () => {
    const inner = createMemoryStore();
    const keyStore = memoryKeyStore();
    const store = encryptedStore(inner, keyStore);
    await fill(store);
    const [artifact] = await store.artifacts.list(THREAD);
    await keyStore.shred(canonicalJson([null, THREAD]));
    for (const call of [
      () => store.threads.load(THREAD),
      () => store.threads.append(THREAD, [entry(20)], { expectedVersion: "any" }),
      () => store.plans.getCurrentPlan(THREAD),
      () => store.artifacts.retrieve(artifact as NonNullable<typeof artifact>),
      () => store.artifacts.store("more", metadata()),
    ])
      await expect(call()).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect(await store.threads.load(OTHER_THREAD)).toBeNull();
    expect(await store.journal.read(THREAD)).toHaveLength(3);
    expect(await verifyStore(store)).toEqual([]);
  });

  it("fails with KEY_MISSING for another tenant, key store or subject", async () => {
    const inner = createMemoryStore();
    const keyStore = memoryKeyStore();
    await fill(encryptedStore(inner, keyStore, { tenantId: "a" }));
    for (const other of [
      encryptedStore(inner, keyStore, { tenantId: "b" }),
      encryptedStore(inner, keyStore),
      encryptedStore(inner, memoryKeyStore(), { tenantId: "a" }),
      encryptedStore(inner, keyStore, { tenantId: "a", subjectOf: () => "somebody else" }),
    ]) {
      await expect(other.threads.load(THREAD)).rejects.toMatchObject({ code: "KEY_MISSING" });
      await expect(other.plans.getCurrentPlan(THREAD)).rejects.toMatchObject({ code: "KEY_MISSING" });
    }
  });

  it("reports wrong keys as KEY_MISMATCH and altered content as UNSEAL_FAILED", async () => {
    const inner = createMemoryStore();
    const keyStore = memoryKeyStore();
    await fill(encryptedStore(inner, keyStore));
    const foreign = memoryKeyStore();
    await foreign.getOrCreate(canonicalJson([null, THREAD]));
    const other = encryptedStore(inner, foreign);
    const [artifact] = await inner.artifacts.list(THREAD);
    for (const read of [
      () => other.threads.load(THREAD),
      () => other.plans.getCurrentPlan(THREAD),
      () => other.ranges?.resume(THREAD),
      () => other.artifacts.retrieve(artifact as NonNullable<typeof artifact>),
      () => other.journal.read(THREAD),
    ])
      await expect(read()).rejects.toMatchObject({ code: "KEY_MISMATCH", details: { threadId: THREAD } });
    const entries = [...((await inner.threads.load(THREAD))?.entries ?? [])];
    const [first, second, ...others] = entries as [ThreadEntry & { type: "message" }, ThreadEntry, ...ThreadEntry[]];
    const moved = { ...first, message: { ...first.message, id: asMessageId("another") } };
    const forged = createMemoryStore();
    await forged.threads.append(THREAD, [moved, second, ...others], { expectedVersion: 0 });
    await expect(encryptedStore(forged, keyStore).threads.load(THREAD)).rejects.toMatchObject({
      code: "UNSEAL_FAILED",
    });
  });

  it("reports KEY_MISSING when only the key from before a rotation is there", async () => {
    const inner = createMemoryStore();
    const keyStore = memoryKeyStore();
    const subject = canonicalJson([null, THREAD]);
    const former = await keyStore.getOrCreate(subject);
    await encryptedStore(inner, keyStore).threads.append(THREAD, [entry(0)], { expectedVersion: 0 });
    await keyStore.rotate(subject);
    await encryptedStore(inner, keyStore).threads.append(THREAD, [entry(1)], { expectedVersion: 1 });
    const stale: KeyStore = {
      get: async (_, version = 1) => (version === 1 ? former : null),
      getOrCreate: async () => former,
      rotate: async () => former,
      shred: async () => false,
      isShredded: async () => false,
    };
    await expect(encryptedStore(inner, stale).threads.load(THREAD)).rejects.toMatchObject({ code: "KEY_MISSING" });
  });
});
