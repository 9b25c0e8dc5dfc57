import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ThreadfoldStore } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entry, expectedThread, THREAD, transcript } from "../conformance/sample-data.ts";
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

describe("an append where the connection remembers the thread's end", () => {
  it("sees what another connection appended since", async () => {
    expect(await append(other, "any", 3)).toEqual({ version: 4, appended: 1 });
    expect(await append(one, "any", 4)).toEqual({ version: 5, appended: 1 });
    await expect(append(other, 4, 5)).rejects.toMatchObject({ code: "VERSION_CONFLICT", details: { actual: 5 } });
    await expect(append(other, 4)).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
    expect(await append(other, 5, 5)).toEqual({ version: 6, appended: 1 });
    expect((await one.threads.load(THREAD))?.digest).toBe(expectedThread(transcript(6)).digest);
  });

  it("skips a message that is there, refuses another one by its id, and appends nothing of a refused batch", async () => {
    expect(await append(one, 3, 1, 3, 3)).toEqual({ version: 4, appended: 1 });
    expect(await append(one, 4, 2)).toEqual({ version: 4, appended: 0 });
    const changed = [entry(4), entry(1, "something else")];
    await expect(one.threads.append(THREAD, changed, { expectedVersion: "any" })).rejects.toMatchObject({
      code: "DUPLICATE_MESSAGE_ID",
    });
    expect(await append(one, 4)).toEqual({ version: 4, appended: 0 });
    expect((await other.threads.load(THREAD))?.digest).toBe(expectedThread(transcript(4)).digest);
  });
});
