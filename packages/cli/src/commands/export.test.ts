import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asThreadId, emptyPlan } from "@threadfold/core";
import { importSession, importSessionFile } from "@threadfold/importers";
import { planWindow } from "@threadfold/session";
import { openStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();
const EXAMPLE = fileURLToPath(new URL("../../../../examples/sessions/a-day-on-threadfold.jsonl", import.meta.url));

/** The window of the newest plan, as the store has it. */
async function storedWindow(threadId: string) {
  const store = await openStore(bench.store);
  try {
    const thread = await store.threads.load(asThreadId(threadId));
    if (thread === null) throw new Error("The thread is not there.");
    const { plan } = await store.plans.getCurrentPlan(thread.id);
    return planWindow(thread, plan ?? emptyPlan(thread.id, "none"));
  } finally {
    await store.close();
  }
}

describe("export", () => {
  it("grows the log that the thread came from, and gives the same bytes twice", async () => {
    const { data } = await compact([EXAMPLE, "--store", bench.store, "--budget", "30000"]);
    const out = bench.path("grown.jsonl");
    const argv = ["export", data.threadId, "--as", "pi", "--out", out, "--store", bench.store];
    const { code, envelope } = await json(argv);
    expect([code, envelope.data]).toMatchObject([0, { format: "pi", grown: true, planVersion: 1, path: out }]);
    const grown = readFileSync(out, "utf8");
    expect(grown.startsWith(readFileSync(EXAMPLE, "utf8"))).toBe(true);
    const again = await captureRun(argv.filter((word) => word !== "--out" && word !== out));
    expect(again.stdout).toBe(grown);
    const { compactions } = await importSessionFile(out);
    expect(compactions).toMatchObject([{ tokensBefore: expect.any(Number) }]);
  });

  it("writes a session of any tool for Claude Code, which shows what the plan shows", async () => {
    const { data } = await compact([
      bench.file("long.json", openAiSession(LONG)),
      "--store",
      bench.store,
      "--budget",
      "8000",
    ]);
    const { stdout, code } = await captureRun(["export", data.threadId, "--as", "claude-code", "--store", bench.store]);
    expect(code).toBe(0);
    const { messages, compactions, format } = await importSession(new TextEncoder().encode(stdout));
    expect(format).toBe("claude-code");
    const from = messages.findIndex(({ id }) => id === compactions.at(-1)?.messageId);
    const [summary, ...tail] = messages.slice(from).map(({ role, parts }) => ({ role, parts }));
    const window = await storedWindow(data.threadId);
    const shown = window.filter(({ synthetic }) => synthetic !== "continuation" && synthetic !== "missing-result");
    const fold = shown.findLastIndex(({ synthetic, sources }) => synthetic !== undefined && sources.length !== 1);
    expect(tail).toEqual(shown.slice(fold + 1).map(({ role, parts }) => ({ role, parts })));
    expect(JSON.stringify(summary)).toContain("Never commit without running the tests first.");
  });

  it("says which tools there are, and that a thread or a plan is not there", async () => {
    const { data } = await compact([EXAMPLE, "--store", bench.store, "--budget", "30000"]);
    const store = ["--store", bench.store];
    expect(await json(["export", data.threadId, ...store])).toMatchObject({
      code: 2,
      envelope: { error: { code: "USAGE", hint: expect.stringContaining("claude-code") } },
    });
    expect(await json(["export", data.threadId, "--as", "cursor", ...store])).toMatchObject({ code: 2 });
    expect(await json(["export", "nobody", "--as", "pi", ...store])).toMatchObject({ code: 5 });
    expect(await json(["export", data.threadId, "--as", "pi", "--plan", "9", ...store])).toMatchObject({ code: 5 });
  });
});
