import { runs } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { dropPlan, entry, message, THREAD } from "../laws/sample-data.ts";
import { createMemoryStore } from "./memory-store.ts";

const COMMITTERS = runs(32, 128).numRuns;

describe("committers of one process that share a store in memory", () => {
  it("R4 have exactly one winner for each plan version (32 committers × 200 rounds)", async ({ task }) => {
    const rounds = runs(200, 1_000).numRuns;
    const store = createMemoryStore();
    await store.threads.append(THREAD, [entry(0)], { expectedVersion: "no-thread" });
    for (let version = 1; version <= rounds; version++) {
      const commits = Array.from({ length: COMMITTERS }, (_, author) =>
        store.plans.commitPlan(
          THREAD,
          dropPlan([{ id: message(0).id, turn: 1 }], { version, threadVersion: 1, author: `${author}` }),
          version - 1,
        ),
      );
      const outcomes = (await Promise.all(commits)).map(({ status }) => status).sort();
      expect(outcomes).toEqual(["committed", ...Array<string>(COMMITTERS - 1).fill("conflict")]);
    }
    expect((await store.plans.listPlans(THREAD)).map(({ version }) => version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: rounds }, (_, index) => index + 1),
    );
    expect(await verifyStore(store, THREAD)).toEqual([]);
    Object.assign(task.meta, { figures: { backend: "memory", committers: COMMITTERS, rounds } });
  });
});
