import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { canonicalJson, digestOf, isAbridgedPlan, type JsonObject, type ThreadfoldStore } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dropPlan, THREAD, transcript } from "../laws/sample-data.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { withoutGuards } from "../testing/without-guards.ts";
import { verifyStore } from "./verify-store.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-"));
  path = join(folder, "store.db");
  const store = await openSqliteStore(path);
  await store.threads.append(THREAD, transcript(40), { expectedVersion: 0 });
  const hidden = (await store.threads.load(THREAD))?.messagesBetween(2, 36) ?? [];
  await store.plans.commitPlan(THREAD, dropPlan(hidden, { version: 1, threadVersion: 40 }), 0);
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Changes the plan's body behind the store's back, and gives what was there. */
function changeBody(change: (body: string) => string): string {
  const raw = new DatabaseSync(path);
  const { body } = raw.prepare("SELECT body FROM plans").get() as { body: string };
  withoutGuards(raw, () => raw.prepare("UPDATE plans SET body = ?").run(change(body)));
  raw.close();
  return body;
}

async function read<Result>(work: (store: ThreadfoldStore) => Promise<Result>): Promise<Result> {
  const store = await openSqliteStore(path);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const findings = () => read((store) => verifyStore(store));

const FIGURES = /"(?:fromVersion|toVersion|fromOrdinal|toOrdinal|count|lastTurn)":\d+/g;
const raised = (figure: string): string => figure.replace(/\d+$/, (digits) => String(Number(digits) + 1));

describe("verifying plans that name a range of the log instead of message ids", () => {
  it("finds nothing wrong while the plans are unchanged", async () => {
    expect(isAbridgedPlan(changeBody((body) => body))).toBe(true);
    expect(await findings()).toEqual([]);
  });

  it("R11 finds every changed figure, and reading the plan fails with STORE_CORRUPT", async () => {
    const intact = changeBody((body) => body);
    const figures = [...intact.matchAll(FIGURES)];
    expect(figures.length).toBeGreaterThanOrEqual(6);
    for (const { 0: found, index } of figures) {
      changeBody(() => intact.slice(0, index) + raised(found) + intact.slice(index + found.length));
      expect(await findings(), found).toMatchObject([{ family: "plans", threadId: THREAD, at: 1 }]);
      await read(async (store) => {
        await expect(store.ranges?.resume(THREAD)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
        await expect(store.plans.getPlan(THREAD, 1)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
      });
    }
    changeBody(() => intact);
    expect(await findings()).toEqual([]);
  });

  it("R11 finds a changed figure even when the plan's digest was recomputed", async () => {
    const { plan } = JSON.parse(changeBody((body) => body)) as { readonly plan: JsonObject };
    const intact = canonicalJson(plan);
    for (const { 0: found, index } of intact.matchAll(FIGURES)) {
      const changed = JSON.parse(intact.slice(0, index) + raised(found) + intact.slice(index + found.length));
      changeBody(() => canonicalJson({ abridged: 1, digest: digestOf(changed), plan: changed }));
      expect(await findings(), found).toMatchObject([{ family: "plans", threadId: THREAD, at: 1 }]);
      await read((store) => expect(store.plans.getPlan(THREAD, 1)).rejects.toMatchObject({ code: "STORE_CORRUPT" }));
    }
  });
});
