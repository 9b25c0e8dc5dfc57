import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession, PI_SESSION } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();
const inStore = (...argv: readonly string[]) => [...argv, "--store", bench.store];

describe("threads", () => {
  it("lists what a store holds, so that the other commands can be told of it", async () => {
    const { data } = await compact(inStore(bench.file("long.json", openAiSession(LONG)), "--budget", "8000"));
    await json(inStore("import", bench.file("pi.jsonl", PI_SESSION)));
    const { code, envelope } = await json(inStore("threads"));
    expect(code).toBe(0);
    const { threads } = envelope.data as { threads: { threadId: string; version: number; planVersion: number }[] };
    expect(threads).toHaveLength(2);
    expect(threads.find(({ threadId }) => threadId === data.threadId)).toMatchObject({ planVersion: 1 });
    for (const { threadId } of threads) expect((await json(inStore("plans", threadId))).code).toBe(0);

    const { stdout } = await captureRun(inStore("threads"));
    expect(stdout.split("\n")[0]).toMatch(/^thread +entries +plan +changed$/);
    expect(stdout).toMatch(new RegExp(`^${data.threadId} +\\d+ +1 +2\\d{3}-`, "m"));
    expect((await captureRun(inStore("threads", "--quiet"))).stdout.trim().split("\n").sort()).toEqual(
      threads.map(({ threadId }) => threadId).sort(),
    );
  });

  it("are known by what their ids begin with, as long as no other begins so", async () => {
    await json(inStore("import", bench.file("pi.jsonl", PI_SESSION)));
    const [first] = ((await json(inStore("threads"))).envelope.data as { threads: { threadId: string }[] }).threads;
    const threadId = first?.threadId ?? "";
    await json(inStore("fork", threadId, `${threadId}-other`));
    await json(inStore("fork", threadId, "elsewhere"));
    const plans = (id: string) => json(inStore("plans", id));
    expect(await plans("else")).toMatchObject({ code: 0, envelope: { data: { threadId: "elsewhere" } } });
    expect(await plans(threadId)).toMatchObject({ code: 0, envelope: { data: { threadId } } });
    const { code, envelope } = await plans(threadId.slice(0, -1));
    expect([code, envelope.error?.message]).toEqual([5, expect.stringContaining("2 threads begin with")]);
    expect(envelope.error?.hint).toContain(`${threadId}-other`);
    expect((await json(inStore("erase", "else", "--yes"))).code).toBe(5);
  });

  it("says so when there is none, and makes no store", async () => {
    expect((await json(inStore("threads"))).code).toBe(7);
    await json(inStore("import", bench.file("pi.jsonl", PI_SESSION)));
    const [first] = ((await json(inStore("threads"))).envelope.data as { threads: { threadId: string }[] }).threads;
    await json(inStore("erase", first?.threadId ?? "", "--yes"));
    expect((await json(inStore("threads"))).code).toBe(0);
  });
});
