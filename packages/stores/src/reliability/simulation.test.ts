import { join } from "node:path";
import type { Clock } from "@threadfold/core";
import { patience, runs } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import type { ErasableStore } from "../erasure/erase-subject.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { freshFolder } from "./rounds.ts";
import { simulate } from "./simulation.ts";

/** Seeds that failed once; they are tried before all others. */
const FAILED_ONCE: readonly number[] = [];
/** Where the seeds of a run begin; set it to try others. */
const FIRST_SEED = Number(process.env["THREADFOLD_SEED"] ?? 1);

const inMemory = async (clock: Clock): Promise<ErasableStore> => createMemoryStore({ clock });

/** Simulates seed after seed and adds up what happened. */
async function simulateAll(seeds: number, open: (clock: Clock, seed: number) => Promise<ErasableStore>) {
  const totals = { seeds: 0, operations: 0, faults: 0 };
  const kinds = new Set<string>();
  const all = [...FAILED_ONCE, ...Array.from({ length: seeds }, (_, index) => FIRST_SEED + index)];
  for (const seed of all) {
    const { operations, faults } = await simulate(seed, (clock) => open(clock, seed));
    totals.seeds++;
    totals.faults += faults;
    for (const [kind, count] of Object.entries(operations)) {
      totals.operations += count;
      kinds.add(kind);
    }
  }
  return { ...totals, kinds };
}

describe("R6 seeded runs of 200 operations with faults, on a clock of their own", () => {
  it("R6 agree with the reference model in memory (2,000 seeds)", { timeout: patience(240_000, 12_000_000) }, async ({
    task,
  }) => {
    const { kinds, ...totals } = await simulateAll(runs(2_000, 100_000).numRuns, inMemory);
    expect([...kinds].sort()).toEqual(["append", "commit", "erase", "keep", "rehydrate", "stale", "sweep", "wait"]);
    Object.assign(task.meta, { figures: { backend: "memory", firstSeed: FIRST_SEED, ...totals, violations: 0 } });
  });

  it("R6 agree with the reference model in SQLite (20 seeds)", { timeout: patience(60_000, 6_000_000) }, async ({
    task,
  }) => {
    const { path, remove } = freshFolder("memory");
    const { kinds: _, ...totals } = await simulateAll(runs(20, 5_000).numRuns, (clock, seed) =>
      openSqliteStore(join(path, `${seed}.db`), { clock }),
    );
    remove();
    Object.assign(task.meta, { figures: { backend: "SQLite", firstSeed: FIRST_SEED, ...totals, violations: 0 } });
  });

  it("R6 repeat exactly for the same seed, in memory and in SQLite, and differ for another seed", async () => {
    const { path, remove } = freshFolder("memory");
    for (let seed = 1; seed <= 10; seed++) {
      const first = await simulate(seed, inMemory);
      expect(await simulate(seed, inMemory)).toEqual(first);
      expect(await simulate(seed, (clock) => openSqliteStore(join(path, `${seed}.db`), { clock }))).toEqual(first);
      expect((await simulate(seed + 1, inMemory)).traceHash).not.toBe(first.traceHash);
    }
    remove();
  });

  it.each<[string, RegExp, (store: ErasableStore) => ErasableStore]>([
    [
      "takes writers who saw nothing",
      /what had to fail with VERSION_CONFLICT succeeded/,
      (store) => withAppend(store, ({ expectedVersion: _, ...options }) => ({ ...options, expectedVersion: "any" })),
    ],
    ["gives out what has expired", /artifact of . is not as it must be/, withoutExpiry],
    [
      "erases nothing",
      /what had to fail with CONTENT_ERASED succeeded/,
      (store) => ({ ...store, eraser: { ...methodsOf(store.eraser), erase: async () => false } }),
    ],
  ])("R6 detect a store that %s", async (_, violation, broken) => {
    const open = async (clock: Clock): Promise<ErasableStore> => broken(createMemoryStore({ clock }));
    await expect(simulateAll(30, open)).rejects.toThrow(violation);
  });
});

type AppendOptions = Parameters<ErasableStore["threads"]["append"]>[2];

/** A store whose appends are asked for otherwise than they were. */
function withAppend(store: ErasableStore, change: (options: AppendOptions) => AppendOptions): ErasableStore {
  const { threads } = store;
  const append: typeof threads.append = (id, entries, options) => threads.append(id, entries, change(options));
  return { ...store, threads: { ...methodsOf(threads), append } };
}

function withoutExpiry(store: ErasableStore): ErasableStore {
  const { artifacts } = store;
  const keep: typeof artifacts.store = (content, given) => artifacts.store(content, { ...given, ttlSeconds: null });
  return { ...store, artifacts: { ...methodsOf(artifacts), store: keep } };
}

/** The methods of a port, its class's included, as a plain object. */
function methodsOf<Port extends object>(port: Port): Port {
  const names = [...Object.keys(port), ...Object.getOwnPropertyNames(Object.getPrototypeOf(port) ?? {})];
  const entries = names.map((name) => [name, Reflect.get(port, name, port)] as const);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "function" ? value.bind(port) : value]),
  ) as Port;
}
