import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentThread, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { entry, expectedThread, message, THREAD, transcript } from "../laws/sample-data.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let folder: string;
let one: ThreadfoldStore;
let other: ThreadfoldStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-"));
  const path = join(folder, "store.db");
  one = await openSqliteStore(path);
  other = await openSqliteStore(path);
  await one.threads.append(THREAD, transcript(3), { expectedVersion: "no-thread" });
});
afterEach(async () => {
  await one.close();
  await other.close();
  rmSync(folder, { recursive: true, force: true });
});

const append = (store: ThreadfoldStore, expectedVersion: number | "any", ...numbers: readonly number[]) =>
  store.threads.append(
    THREAD,
    numbers.map((number) => entry(number)),
    { expectedVersion },
  );

describe("an append over a connection that remembers the thread's end", () => {
  it("sees what another connection appended since", async () => {
    expect(await append(other, "any", 3)).toEqual({ version: 4, appended: 1 });
    expect(await append(one, "any", 4)).toEqual({ version: 5, appended: 1 });
    await expect(append(other, 4, 5)).rejects.toMatchObject({ code: "VERSION_CONFLICT", details: { actual: 5 } });
    await expect(append(other, 4)).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
    expect(await append(other, 5, 5)).toEqual({ version: 6, appended: 1 });
    expect((await one.threads.load(THREAD))?.digest).toBe(expectedThread(transcript(6)).digest);
  });

  it("skips a message that exists, refuses a different one with its id, and appends nothing of a refused batch", async () => {
    expect(await append(one, 3, 1, 3, 3)).toEqual({ version: 4, appended: 1 });
    expect(await append(one, 4, 2)).toEqual({ version: 4, appended: 0 });
    const changed = [entry(4), entry(1, "something else")];
    await expect(one.threads.append(THREAD, changed, { expectedVersion: "any" })).rejects.toMatchObject({
      code: "DUPLICATE_MESSAGE_ID",
    });
    expect(await append(one, 4)).toEqual({ version: 4, appended: 0 });
    expect((await other.threads.load(THREAD))?.digest).toBe(expectedThread(transcript(4)).digest);
  });

  it("agrees with the loaded thread for any sequence of appends and repeats over two connections", async () => {
    let round = 0;
    const turn = fc.record({
      isOther: fc.boolean(),
      fresh: fc.oneof(fc.constantFrom(1, 2), fc.nat(40)),
      again: fc.array(fc.nat(200), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 30 }), async (turns) => {
        const threadId = asThreadId(`round ${++round}`);
        let known = 0;
        for (const { isOther, fresh, again } of turns) {
          const repeated = known === 0 ? [] : again.map((number) => number % known);
          const numbers = [...repeated, ...Array.from({ length: fresh }, (_, index) => known + index)];
          const entries = numbers.map((number) => entry(number));
          const result = await (isOther ? other : one).threads.append(threadId, entries, { expectedVersion: "any" });
          known += fresh;
          expect(result).toEqual({ version: known, appended: fresh });
        }
        if (known === 0) return;
        const ids = [0, known >> 1, known - 1].map((number) => message(number).id);
        const found = await one.ranges?.findMessages(threadId, ids);
        const places = [...new Set([1, (known >> 1) + 1, known])];
        expect(found?.map(({ version }) => version)).toEqual(places);
        const digest = AgentThread.empty(threadId).appendEntries(transcript(known)).digest;
        expect((await one.threads.load(threadId))?.digest).toBe(digest);
      }),
      runs(60),
    );
    expect(await verifyStore(one)).toEqual([]);
  });
});
