import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  asMessageId,
  asThreadId,
  canonicalJson,
  type Message,
  passageText,
  type RecallHit,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { patience, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { exportAudit } from "../audit/audit-file.ts";
import { verifyStore } from "../audit/verify-store.ts";
import { eraseSubject } from "../erasure/erase-subject.ts";
import { exportThread } from "../inspection/export-thread.ts";
import { dropPlan, entry, metadata, pin, START, START_MS, transcript } from "../laws/sample-data.ts";
import { listedThreads } from "../shared/threads.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { freshFolder, SeededRandom } from "./rounds.ts";

const PAGE = 4_096;
const THREADS = ["a", "b", "c"].map(asThreadId);
/** Queries of one call, beyond which it counts as one that never ends. The largest call on the intact store takes some 200. */
const MOST_QUERIES = 5_000;
const clock = { now: () => START_MS };

const { path: folder, remove } = freshFolder("memory");
afterAll(remove);
const intactPath = join(folder, "intact.db");
let intact: Buffer;
/** What each call gives on the intact store. */
let expected: ReadonlyMap<string, string>;

/** Fills a store with whatever it can hold, bodies that take pages of their own among it. */
async function fill(store: ThreadfoldStore): Promise<void> {
  for (const threadId of THREADS) {
    const long = "a long text that goes over several pages ".repeat(300);
    const entries = [...transcript(40), entry(40, long), entry(41), pin("p1"), pin("p2")];
    await store.threads.append(threadId, entries, { expectedVersion: 0, idempotencyKey: "first" });
    const thread = await store.threads.load(threadId);
    if (thread === null) throw new Error("the thread is there");
    for (const message of thread.messages) said.set(`${threadId} ${message.id}`, message);
    await store.recall?.index(threadId, thread.messages);
    const { digest: threadDigest } = thread;
    await store.journal.append(threadId, { type: "entries-appended", threadVersion: 44, threadDigest }, START);
    for (const version of [1, 2, 3]) {
      const hidden = thread.messagesBetween(2, 8 * version);
      const plan = dropPlan(hidden, { version, threadVersion: 44, threadId });
      await store.plans.commitPlan(threadId, plan, version - 1);
      const { planId } = plan;
      await store.journal.append(
        threadId,
        { type: "plan-committed", planVersion: version, planId, diffDigest: planId },
        START,
      );
    }
    for (let number = 0; number < 6; number++)
      await store.artifacts.store(`artifact ${number} ${"x".repeat(number * 2_000)}`, metadata({ threadId }));
  }
}

async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The messages of the intact store, by thread and id. */
const said = new Map<string, Message>();
const isSaid = (threadId: ThreadId, { messageId, start, end, excerpt }: RecallHit): boolean => {
  const message = said.get(`${threadId} ${messageId}`);
  return message !== undefined && end > start && passageText(message, { start, end }) === excerpt;
};

type Call = (store: ThreadfoldStore) => Promise<unknown>;

/**
 * Calls that read, by name. What they give is compared, but for what stands under no digest: when a thread changed, and
 * when an artifact was stored and for whom.
 */
const READS: Readonly<Record<string, Call>> = {
  "list of threads": async (store) =>
    (await collected(listedThreads(store))).map(({ threadId, version, planVersion }) => [
      threadId,
      version,
      planVersion,
    ]),
  ...Object.assign(
    {},
    ...THREADS.map(
      (threadId): Record<string, Call> => ({
        [`load ${threadId}`]: async ({ threads }) => (await threads.load(threadId))?.digest,
        [`load ${threadId} at 20`]: async ({ threads }) => (await threads.load(threadId, { atVersion: 20 }))?.digest,
        [`range of ${threadId}`]: async ({ ranges }) => ranges?.loadRange(threadId, { fromVersion: 3, toVersion: 42 }),
        [`resume ${threadId}`]: async ({ ranges }) => {
          const resumed = await ranges?.resume(threadId);
          const { plan, thread } = resumed ?? {};
          return [
            plan?.planId ?? null,
            plan?.version ?? null,
            thread?.digest ?? null,
            [...(thread?.entriesInMemory() ?? [])],
          ];
        },
        [`messages of ${threadId}`]: async ({ ranges }) =>
          ranges?.findMessages(threadId, ["m3", "m20", "m41", "none"].map(asMessageId)),
        // An index may forget a word, and rank by other figures: it can be made again. What it gives has to have been said.
        [`untrue finds in ${threadId}`]: async ({ recall }) => {
          const { hits } = (await recall?.search(threadId, { text: "text long 7", limit: 30 })) ?? { hits: [] };
          return hits.filter((hit) => !isSaid(threadId, hit));
        },
        [`plan of ${threadId}`]: async ({ plans }) => plans.getCurrentPlan(threadId),
        [`plans of ${threadId}`]: async ({ plans }) => [
          await plans.listPlans(threadId),
          await plans.getPlan(threadId, 2),
        ],
        [`plan version of ${threadId}`]: async ({ plans }) => plans.getCurrentVersion?.(threadId),
        [`journal of ${threadId}`]: async ({ journal }) => journal.read(threadId),
        [`artifacts of ${threadId}`]: async ({ artifacts }) => {
          const ids = await artifacts.list(threadId);
          const kept = await Promise.all(ids.map((id) => artifacts.retrieve(id)));
          return [ids, kept.map((artifact) => artifact?.content ?? null)];
        },
        [`export of ${threadId}`]: async (store) =>
          (await exportThread(store, threadId)).split("\n").filter((line) => !line.includes('"type":"artifact"')),
        [`audit of ${threadId}`]: (store) => collected(exportAudit(store, threadId, { at: START })),
      }),
    ),
  ),
};

/** Calls that write. They only have to end as anything else does. */
const WRITES: Readonly<Record<string, Call>> = {
  append: ({ threads }) => threads.append(THREADS[0] as never, [entry(50), pin("p9")], { expectedVersion: "any" }),
  "append again": ({ threads }) => threads.append(THREADS[0] as never, [entry(51)], { expectedVersion: "any" }),
  "append by its key": ({ threads }) =>
    threads.append(THREADS[1] as never, [entry(60)], { expectedVersion: "any", idempotencyKey: "first" }),
  commit: ({ plans }) =>
    plans.commitPlan(
      THREADS[0] as never,
      dropPlan([{ id: asMessageId("m4"), turn: 2 }], { version: 4, threadVersion: 44, threadId: THREADS[0] as never }),
      3,
    ),
  journal: ({ journal }) =>
    journal.append(
      THREADS[0] as never,
      { type: "usage-reported", requestSequence: 1, usage: { inputTokens: 1, outputTokens: 1 } },
      START,
    ),
  store: ({ artifacts }) => artifacts.store("another", metadata({ threadId: THREADS[0] as never })),
  "forget words": async ({ recall }) => recall?.remove(THREADS[1] as never),
  erase: (store) => eraseSubject(store, THREADS[1] as never, { actor: "a", reason: "r", at: START }),
  sweep: async (store) => (store as Awaited<ReturnType<typeof openSqliteStore>>).eraser.sweep(START_MS),
};

/** Ways in which a file comes to be another one. */
const DAMAGES: readonly ((image: Buffer, random: SeededRandom) => Buffer)[] = [
  (image, random) => flipped(image, random, 1, () => random.below(image.length)),
  (image, random) => flipped(image, random, 8, () => random.below(image.length)),
  (image, random) => flipped(image, random, 64, () => random.below(image.length)),
  // Where a page says what is in it, and where its newest and its oldest rows stand.
  (image, random) => flipped(image, random, 1, () => random.below(image.length / PAGE) * PAGE + random.below(64)),
  (image, random) =>
    flipped(image, random, 1, () => (1 + random.below(image.length / PAGE)) * PAGE - 1 - random.below(128)),
  (image, random) => image.fill(random.pick([0, 0xff, 0x41]), ...pageOf(image, random)),
  (image, random) => image.fill(Buffer.from([random.below(256), random.below(256), 7]), ...pageOf(image, random)),
  (image, random) => image.subarray(0, 1 + random.below(image.length)),
  (image, random) => image.subarray(0, pageOf(image, random)[0]),
  (image, random) => {
    const [one, other] = [pageOf(image, random), pageOf(image, random)];
    const kept = Buffer.from(image.subarray(...one));
    image.copyWithin(one[0], ...other);
    kept.copy(image, other[0]);
    return image;
  },
  (image, random) => image.copyWithin(pageOf(image, random)[0], ...pageOf(image, random)),
];

function flipped(image: Buffer, random: SeededRandom, bits: number, at: () => number): Buffer {
  for (let bit = 0; bit < bits; bit++) {
    const place = at();
    image.writeUInt8(image.readUInt8(place) ^ (1 << random.below(8)), place);
  }
  return image;
}

/** Where a page begins and ends; never the first, which says whose file this is. */
function pageOf(image: Buffer, random: SeededRandom): [start: number, end: number] {
  const start = (1 + random.below(image.length / PAGE - 1)) * PAGE;
  return [start, start + PAGE];
}

/** Queries since the last call began. */
let queries = 0;

function countQueries(): void {
  for (const method of ["get", "all"] as const) {
    const original = SqliteConnection.prototype[method] as (...values: readonly unknown[]) => unknown;
    vi.spyOn(SqliteConnection.prototype, method).mockImplementation(function (this: SqliteConnection, ...values) {
      if (++queries > MOST_QUERIES) throw new Error("it never ends");
      return original.apply(this, values) as never;
    });
  }
}

/** What a call gives, or the code of its error. @throws whatever is no error of Threadfold. */
async function outcomeOf(
  store: ThreadfoldStore,
  call: Call,
): Promise<{ readonly gave: string } | { readonly code: string }> {
  queries = 0;
  try {
    return { gave: canonicalJson((await call(store)) ?? null) };
  } catch (error) {
    if (!ThreadfoldError.isInstance(error)) throw error;
    return { code: error.code };
  }
}

async function opened(path: string): Promise<Awaited<ReturnType<typeof openSqliteStore>> | null> {
  try {
    return await openSqliteStore(path, { clock });
  } catch (error) {
    if (!ThreadfoldError.isInstance(error)) throw error;
    return null;
  }
}

beforeAll(async () => {
  const store = await openSqliteStore(intactPath, { clock });
  await fill(store);
  await store.close();
  intact = readFileSync(intactPath);
  const copy = join(folder, "copy.db");
  copyFileSync(intactPath, copy);
  const again = await openSqliteStore(copy, { clock });
  const given = new Map<string, string>();
  for (const [name, call] of Object.entries(READS)) given.set(name, canonicalJson((await call(again)) ?? null));
  expected = given;
  await again.close();
});
afterEach(() => void vi.restoreAllMocks());

/** Says what became of a damaged copy, and throws where a call ended as none may. */
async function judge(seed: number): Promise<"refused" | "found" | "unharmed"> {
  const path = join(folder, "damaged.db");
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
  const random = new SeededRandom(seed);
  writeFileSync(path, random.pick(DAMAGES)(Buffer.from(intact), random));
  const store = await opened(path);
  if (store === null) return "refused";
  try {
    queries = 0;
    const findings = await verifyStore(store);
    for (const [name, call] of Object.entries(READS)) {
      const outcome = await outcomeOf(store, call);
      if (findings.length === 0 && "gave" in outcome) expect(outcome.gave, name).toBe(expected.get(name));
    }
    for (const call of Object.values(WRITES)) await outcomeOf(store, call);
    return findings.length === 0 ? "unharmed" : "found";
  } finally {
    await store.close();
  }
}

describe("R28 a store with a damaged file", () => {
  it("ends every call with a result or a typed error, and returns no wrong result where verify finds nothing", {
    timeout: patience(300_000, 6_000_000),
  }, async ({ task }) => {
    countQueries();
    const outcomes = { refused: 0, found: 0, unharmed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        outcomes[await judge(seed)]++;
      }),
      { ...runs(60, 2_000), seed: 20_250_101, endOnFailure: true },
    );
    expect(outcomes.found).toBeGreaterThan(0);
    Object.assign(task.meta, { figures: outcomes });
  });
});
