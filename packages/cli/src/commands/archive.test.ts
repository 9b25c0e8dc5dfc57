import { existsSync, readdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();
const store = (): readonly string[] => ["--store", bench.store];

async function importedThread(): Promise<string> {
  const path = bench.file("session.json", openAiSession());
  const { envelope } = await json(["import", path, ...store()]);
  return (envelope.data as { threadId: string }).threadId;
}
const segments = (): readonly string[] =>
  readdirSync(bench.path("cold"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

describe("archive and unarchive", () => {
  it("leave a store without a thread to inspect, which says so and how to get one back", async () => {
    const thread = await importedThread();
    await json(["archive", thread, "--to", bench.path("cold"), "--still-for", "0s", ...store()]);
    for (const argv of [
      ["context", ...store()],
      ["inspect", bench.store, "--out", bench.path("page.html")],
    ]) {
      expect(await json(argv), argv[0]).toMatchObject({
        code: 5,
        envelope: {
          error: {
            ...{ code: "THREAD_NOT_FOUND", message: "The only thread of the store is archived." },
            hint: `An archived thread comes back with: threadfold unarchive ${thread}`,
          },
        },
      });
    }
  });

  it("move a thread out and back: lists, verify and every other command say so meanwhile", async () => {
    const thread = await importedThread();
    const exported = await json(["plans", thread, ...store()]);
    expect(await json(["archive", thread, "--to", bench.path("cold"), ...store()])).toMatchObject({
      code: 4,
      envelope: { error: { code: "THREAD_IN_USE" } },
    });
    const archive = ["archive", thread, "--to", bench.path("cold"), "--still-for", "0s", ...store()];
    expect(await json(archive)).toMatchObject({
      code: 0,
      envelope: { data: { archived: [{ threadId: thread, isCold: true }], refused: [] } },
    });
    expect(await json(archive)).toMatchObject({ code: 0 });
    const elsewhere = await json(["archive", thread, "--to", bench.path("other"), "--still-for", "0s", ...store()]);
    expect(elsewhere).toMatchObject({
      code: 5,
      envelope: {
        error: {
          code: "THREAD_ARCHIVED",
          message: expect.stringMatching(/was not moved: it is archived in .*cold\.$/),
          hint: expect.stringContaining("threadfold unarchive"),
        },
      },
    });
    expect(existsSync(bench.path("other"))).toBe(false);
    expect(segments()).toHaveLength(1);
    for (const command of ["render", "plans", "replay", "bill", "explain", "context", "erase", "audit"]) {
      const more = { explain: ["m1"], erase: ["--yes"] }[command] ?? [];
      const argv =
        command === "audit"
          ? ["audit", "export", thread, "--out", bench.path("audit.jsonl")]
          : [command, thread, ...more];
      expect(await json([...argv, ...store()]), command).toMatchObject({
        code: 5,
        envelope: { error: { code: "THREAD_ARCHIVED", hint: expect.stringContaining("threadfold unarchive") } },
      });
    }
    expect((await captureRun(["threads", ...store()])).stdout).toContain("(archived)");
    expect(await json(["costs", ...store()])).toMatchObject({ code: 0, envelope: { data: { archived: [thread] } } });
    expect(await json(["verify", ...store()])).toMatchObject({
      code: 0,
      envelope: { data: { findings: [], segments: { read: [thread], unreached: [] } } },
    });
    expect((await captureRun(["verify", ...store()])).stdout).toContain("1 thread in segments");
    expect(await json(["unarchive", thread, ...store()])).toMatchObject({
      code: 0,
      envelope: { data: { threadId: thread } },
    });
    expect(segments()).toEqual([]);
    expect(await json(["plans", thread, ...store()])).toEqual(exported);
    expect(await json(["verify", ...store()])).toMatchObject({
      code: 0,
      envelope: { data: { segments: { read: [] } } },
    });
  });

  it("bring a thread back that replays as before, and leave inspect and mcp with the others meanwhile", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const { data } = await compact([path, ...store(), "--budget", "8000", "--ask", "Where?"]);
    const replayed = await json(["replay", data.threadId, ...store()]);
    expect(replayed).toMatchObject({ code: 0, envelope: { data: { different: 0 } } });
    const short = data.threadId.slice(0, 12);
    await json(["archive", short, "--to", bench.path("cold"), "--still-for", "0s", ...store()]);
    expect(await json(["plans", short, ...store()])).toMatchObject({
      envelope: { error: { code: "THREAD_ARCHIVED" } },
    });
    expect(await json(["context", ...store()])).toMatchObject({ envelope: { error: { code: "THREAD_NOT_FOUND" } } });
    await json(["unarchive", short, ...store()]);
    expect(await json(["replay", data.threadId, ...store()])).toEqual(replayed);
  });

  it("archive all that are old, and verify says what is out of reach and what is missing", async () => {
    const thread = await importedThread();
    const old = ["archive", "--older-than", "0s", "--to", bench.path("cold"), ...store()];
    const now = { now: () => Date.now() + 1_000 };
    expect((await captureRun(old, now)).stdout).toContain(`archived: thread ${thread}`);
    expect((await captureRun(old, now)).stdout).toContain("No thread has been idle for that long.");
    rmSync(bench.path("cold/segments"), { recursive: true });
    expect(await json(["verify", ...store()])).toMatchObject({
      code: 3,
      envelope: {
        data: { findings: [{ family: "segment", threadId: thread }] },
        error: { hint: expect.stringContaining("copy of the segment") },
      },
    });
    rmSync(bench.path("cold"), { recursive: true });
    const { stdout, code } = await captureRun(["verify", ...store()]);
    expect(stdout).toContain(`not reached: 1 segment of archived threads: ${thread}`);
    expect(code).toBe(0);
    expect(await json(["unarchive", thread, ...store()])).toMatchObject({
      code: 7,
      envelope: { error: { code: "STORE_UNAVAILABLE" } },
    });
  });

  it("say what is missing of a call", async () => {
    const thread = await importedThread();
    for (const argv of [
      ["archive", thread],
      ["archive", "--to", bench.path("cold")],
      ["archive", thread, "--older-than", "90d", "--to", bench.path("cold")],
      ["archive", "--older-than", "soon", "--to", bench.path("cold")],
      ["archive", thread, "--still-for", "1", "--to", bench.path("cold")],
    ])
      expect(await json([...argv, ...store()]), argv.join(" ")).toMatchObject({
        envelope: { error: { code: "USAGE" } },
      });
  });
});
