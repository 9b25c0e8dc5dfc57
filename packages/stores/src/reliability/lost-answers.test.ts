import { join } from "node:path";
import { asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { dropPlan, metadata, transcript } from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { freshFolder } from "./rounds.ts";
import { faultyStore, isLost } from "./simulation.ts";

/** Loses answers of one store, and asks again at another door of the same one. */
async function loseAnswers(losses: number, store: ThreadfoldStore, other: ThreadfoldStore): Promise<void> {
  const losing = faultyStore(store, () => "answer-lost");
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("append", "commit", "artifact"),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      async (what, count, isLonger) => {
        const threadId = asThreadId(`lost-${number++}`);
        if (what !== "append") await store.threads.append(threadId, transcript(count), { expectedVersion: 0 });
        const plan = dropPlan([], { version: 1, threadVersion: count, threadId });
        const work = async (on: ThreadfoldStore): Promise<unknown> => {
          if (what === "append")
            return on.threads.append(threadId, transcript(count), { expectedVersion: 0, idempotencyKey: "key" });
          if (what === "commit") return on.plans.commitPlan(threadId, plan, 0);
          return on.artifacts.store("content", metadata({ threadId }));
        };
        const lost = await work(losing).catch((error: unknown) => error);
        expect(isLost(lost)).toBe(true);
        // Somebody else may have gone on before the retry comes; it still gets the answer that was lost.
        if (isLonger)
          await other.threads.append(threadId, transcript(count + 2).slice(count), { expectedVersion: "any" });
        const again = await work(other);
        if (what === "append") expect(again).toEqual({ version: count, appended: count });
        if (what === "commit") expect(again).toEqual({ status: "committed", version: 1 });
        if (what === "artifact") expect(await store.artifacts.list(threadId)).toEqual([again]);
        expect((await store.threads.load(threadId))?.version).toBe(count + (isLonger ? 2 : 0));
        expect((await store.plans.listPlans(threadId)).length).toBe(what === "commit" ? 1 : 0);
      },
    ),
    { numRuns: losses },
  );
  expect(await verifyStore(store)).toEqual([]);
}

describe("R8 an answer that was lost", () => {
  it("R8 is returned when the call is repeated, in memory (200 times)", async ({ task }) => {
    const losses = runs(200).numRuns;
    const store = createMemoryStore();
    await loseAnswers(losses, store, store);
    Object.assign(task.meta, { figures: { backend: "memory", "lost answers": losses, "done twice": 0 } });
  });

  it("R8 is returned when the call is repeated over another connection to the SQLite file (200 times)", async ({
    task,
  }) => {
    const losses = runs(200).numRuns;
    const { path, remove } = freshFolder("memory");
    const store = await openSqliteStore(join(path, "store.db"));
    const other = await openSqliteStore(join(path, "store.db"));
    await loseAnswers(losses, store, other);
    await store.close();
    await other.close();
    remove();
    Object.assign(task.meta, { figures: { backend: "SQLite", "lost answers": losses, "done twice": 0 } });
  });
});
