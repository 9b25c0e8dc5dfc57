import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { openAiSession } from "../testing/recorded-sessions.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

async function importedThread(): Promise<string> {
  const path = bench.file("session.json", openAiSession());
  const { envelope } = await json(["import", path, "--store", bench.store]);
  return (envelope.data as { threadId: string }).threadId;
}
const inStore = (text: string): boolean =>
  readdirSync(bench.root)
    .filter((name) => name.startsWith("sessions.db"))
    .some((name) => readFileSync(bench.path(name)).includes(text));
const erase = (...argv: string[]) => json(["erase", ...argv, "--store", bench.store]);

describe("erase", () => {
  it("needs --yes, and a dry run only says what it would erase", async () => {
    const thread = await importedThread();
    expect(await erase(thread)).toMatchObject({ code: 2, envelope: { error: { code: "USAGE" } } });
    const dry = await erase(thread, "--dry-run");
    expect(dry).toMatchObject({
      code: 0,
      envelope: { data: { dryRun: true, threads: [{ threadId: thread, artifacts: 2, proofSequence: null }] } },
    });
    expect(inStore("careful engineer")).toBe(true);
    expect((await json(["plans", thread, "--store", bench.store])).code).toBe(0);
  });

  it("takes every letter of the thread out of the store's files, and the store verifies", async () => {
    const thread = await importedThread();
    expect(inStore("careful engineer")).toBe(true);
    const { stdout } = await captureRun(["erase", thread, "--yes", "--actor", "dpo", "--store", bench.store]);
    expect(stdout).toMatch(/^erased: thread .* proves it\.\n$/);
    expect(inStore("careful engineer")).toBe(false);
    expect(await json(["verify", "--store", bench.store])).toMatchObject({ code: 0 });
    expect(await json(["plans", thread, "--store", bench.store])).toMatchObject({
      code: 5,
      envelope: { error: { code: "CONTENT_ERASED" } },
    });
    expect(await json(["context", thread, "--store", bench.store])).toMatchObject({
      code: 5,
      envelope: { error: { code: "CONTENT_ERASED" } },
    });
    expect(await erase(thread, "--yes")).toMatchObject({
      code: 0,
      envelope: { data: { threads: [{ wasErased: true }] } },
    });
    expect(await erase("nobody", "--yes")).toMatchObject({
      code: 5,
      envelope: { error: { code: "THREAD_NOT_FOUND" } },
    });
  });

  it("takes the thread's copies with it, or says which are left", async () => {
    const thread = await importedThread();
    const forked = await json(["fork", thread, "branch", "--store", bench.store]);
    expect(forked.code).toBe(0);
    const kept = await captureRun(["erase", thread, "--dry-run", "--keep-copies", "--store", bench.store]);
    expect(kept.stdout).toMatch(/^would erase: thread .*\nnot erased: its copy branch\.\n$/);
    const { stdout } = await captureRun(["erase", thread, "--yes", "--store", bench.store]);
    expect(stdout).toContain(`erased: thread branch, a copy of ${thread}, `);
    expect(inStore("careful engineer")).toBe(false);
  });
});
