import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { cpuTimeMs } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession, PI_SESSION } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";
import { shortThreadIds } from "./threads.ts";

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
    expect(stdout.split("\n")[0]).toMatch(/^thread +entries +plan +changed \(UTC\) +title$/);
    const short = data.threadId.slice(0, 12);
    expect(stdout).toMatch(
      new RegExp(`^${short} +\\d+ +1 +2\\d{3}-\\d\\d-\\d\\d \\d\\d:\\d\\d +Find the leak in the parser`, "m"),
    );
    expect((await json(inStore("plans", short))).envelope.data).toMatchObject({ threadId: data.threadId });
    const items = async (...argv: readonly string[]): Promise<unknown[]> => {
      const printed = (await captureRun(inStore(...argv, "--ndjson"))).stdout.trimEnd();
      return printed === "" ? [] : printed.split("\n").map((line) => JSON.parse(line) as unknown);
    };
    expect(await items("threads")).toEqual(threads);
    expect(await items("plans", short)).toMatchObject([{ version: 1 }]);
    expect(await items("search", short, "parser")).toEqual(
      expect.arrayContaining([expect.objectContaining({ messageId: expect.any(String) })]),
    );
    expect(await items("costs")).toMatchObject([{ thread: data.threadId }]);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
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
  });

  it("are known so to every command that takes the id of one, and erased only by the whole id", async () => {
    const { data } = await compact(inStore(bench.file("long.json", openAiSession(LONG)), "--budget", "8000"));
    await json(inStore("fork", data.threadId, "elsewhere"));
    const { stdout } = await captureRun(inStore("threads"));
    const short = stdout.split("\n").map((line) => line.split(/ +/)[0] ?? "");
    const shown = short.find((id) => data.threadId.startsWith(id) && id !== "") ?? "";
    expect(shown.length).toBeLessThan(data.threadId.length);
    const out = bench.path("audit.jsonl");
    for (const argv of [
      ["verify", shown],
      ["audit", "export", shown, "--out", out],
      ["audit", "checkpoint", shown],
      ["erase", shown, "--dry-run"],
      ...["plans", "bill", "context", "render", "replay", "title"].map((command) => [command, shown]),
    ]) {
      const { code, stdout: printed, stderr } = await captureRun(inStore(...argv, "--json"));
      expect([code, stderr], argv.join(" ")).toEqual([0, ""]);
      expect(printed, argv.join(" ")).toContain(data.threadId);
    }
    expect((await json(inStore("verify", shown))).envelope.data).toMatchObject({ threads: [data.threadId] });
    const refused = await json(inStore("erase", shown, "--yes"));
    expect([refused.code, refused.envelope.error?.code]).toEqual([5, "THREAD_NOT_FOUND"]);
    expect(refused.envelope.error?.hint).toContain(`Erasing needs the whole id: ${data.threadId}`);
    for (const argv of [
      ["verify", "nobody"],
      ["audit", "export", "nobody", "--out", out],
      ["erase", "nobody", "--dry-run"],
    ])
      expect((await json(inStore(...argv))).envelope.error, argv[0]).toMatchObject({
        code: "THREAD_NOT_FOUND",
        hint: expect.stringContaining("elsewhere"),
      });
  });

  it("have the shortest ids of twelve characters or more that tell them apart, however many there are", () => {
    const alike = ["session-of-monday", "session-of-monday-2", "session-of-tuesday", "short", "session-of-mango"];
    const short = shortThreadIds(alike);
    expect(alike.map((id) => short.get(id))).toEqual([
      "session-of-monday",
      "session-of-monday-",
      "session-of-t",
      "short",
      "session-of-ma",
    ]);
    const many = Array.from({ length: 100_000 }, (_, index) => `thread-number-${index}`);
    const spent = cpuTimeMs();
    expect(shortThreadIds(many).size).toBe(many.length);
    expect(cpuTimeMs() - spent).toBeLessThan(5_000);
  });

  it("have their first request as a title, also where it cannot be read, and ids that tell them apart", async () => {
    await json(inStore("import", bench.file("long.json", openAiSession())));
    const listed = async () =>
      (await json(inStore("threads"))).envelope.data as { threads: { threadId: string; title: string | null }[] };
    const [first] = (await listed()).threads;
    expect(first?.title).toBe("Find the leak in the parser. Never commit without running the tests first.");
    const id = first?.threadId ?? "";
    await json(inStore("fork", id, `${id.slice(0, 14)}-other`));
    const { stdout } = await captureRun(inStore("threads"));
    const shown = stdout.split("\n").map((line) => line.split(/ +/)[0] ?? "");
    for (const short of shown.slice(1, 3)) expect((await json(inStore("plans", short))).code).toBe(0);
    expect(shown).toContain(id.slice(0, 15));
    const database = new DatabaseSync(bench.store);
    database.exec("DROP TRIGGER entries_no_update; UPDATE entries SET body = replace(body, 'Find', 'Lose')");
    database.close();
    expect((await listed()).threads.map(({ title }) => title)).toEqual([null, null]);
  });

  it("have no command of a program for a title, unless nothing else was asked", async () => {
    const messages = (...texts: readonly string[]) =>
      JSON.stringify(texts.map((content) => ({ role: "user", content })));
    await json(inStore("import", bench.file("steered.json", messages("/model", "Port the selector.", "/clear"))));
    await json(inStore("import", bench.file("only.json", messages("/model"))));
    const { threads } = (await json(inStore("threads"))).envelope.data as { threads: { title: string | null }[] };
    expect(threads.map(({ title }) => title).sort()).toEqual(["/model", "Port the selector."]);
  });

  it.each([
    "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
    "<local-command-stdout>Set model to opus</local-command-stdout>",
    "Caveat: The messages below were generated by the user while running local commands.",
    "<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>",
    "<user_instructions>\nUse tabs.\n</user_instructions>",
    "# AGENTS.md instructions for /srv/app\n\nUse tabs.",
    "<environment_details>\nCurrent time\n</environment_details>",
  ])("have nothing for a title that a program says in the user's place: %s", async (added) => {
    const messages = [added, "Port the selector."].map((content) => ({ role: "user", content }));
    await json(inStore("import", bench.file("added.json", JSON.stringify(messages))));
    const { threads } = (await json(inStore("threads"))).envelope.data as { threads: { title: string | null }[] };
    expect(threads.map(({ title }) => title)).toEqual(["Port the selector."]);
  });

  it.each([
    ["<user_message>\nPort it.\n</user_message>\n<environment_details>\n# Time\n</environment_details>", "Port it."],
    ["<task>\nPort it.\n</task>", "Port it."],
    ['<mode_notice>Plan mode.</mode_notice>\n<user_input mode="plan">Port it.</user_input>', "Port it."],
    ["<user_query>\nPort it.\n</user_query>", "Port it."],
    ["<system-reminder>\nUse tabs.\n</system-reminder>\nPort it.", "Port it."],
    ["<ide_opened_file>The user opened a.ts.</ide_opened_file>\n<ide_selection>x</ide_selection>Port it.", "Port it."],
    ["Port it.\n<system-reminder>\nUse tabs.\n</system-reminder>", "Port it."],
    ['Port it.\n<file_content path="a.ts">\nconst a = 1;\n</file_content>', "Port it."],
    ["<uploaded_files>\n/w\n</uploaded_files>\nPort it.", "Port it."],
    ["<pr_description>\nPort it.\n</pr_description>\n\n<instructions>\nUse git.\n</instructions>", "Port it."],
    ["<context>\nThe date is May 1.\n</context>\n<userRequest>\nPort it.\n</userRequest>", "Port it."],
    ["# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nPort it.", "Port it."],
    [
      "<command-message>port</command-message>\n<command-name>/port</command-name>\n<command-args>it to Go</command-args>",
      "/port it to Go",
    ],
    ["<bash-input>npm test</bash-input>", "npm test"],
    ["<div>is not closed</div>\nWhy?", "<div>is not closed</div> Why?"],
    ["<my_element> is not defined", "<my_element> is not defined"],
    ["What does <system-reminder> mean?", "What does <system-reminder> mean?"],
  ])("have what the user said for a title, without what programs write around it: %s", async (said, title) => {
    await json(inStore("import", bench.file("said.json", JSON.stringify([{ role: "user", content: said }]))));
    const { threads } = (await json(inStore("threads"))).envelope.data as { threads: { title: string | null }[] };
    expect(threads.map((thread) => thread.title)).toEqual([title]);
  });

  it("have the title that they are given, on every page, until they are erased", async () => {
    const { data } = await compact(inStore(bench.file("long.json", openAiSession(LONG)), "--budget", "8000"));
    const id = data.threadId;
    const short = id.slice(0, 12);
    const titled = async () => (await captureRun(inStore("threads", "--titles"))).stdout;
    expect(await titled()).toBe(`${id}\tFind the leak in the parser. Never commit without running the tests first.\n`);
    expect((await json(inStore("title", short))).envelope.data).toEqual({ threadId: id, title: null, before: null });
    for (const title of ["A first title", "A  second\ntitle", "A first title"])
      expect((await json(inStore("title", short, title))).code).toBe(0);
    expect((await json(inStore("title", short))).envelope.data).toMatchObject({ title: "A first title" });
    expect((await captureRun(inStore("title", short, "Fix the parser"))).stdout).toBe("Fix the parser\n");
    expect(await titled()).toBe(`${id}\tFix the parser\n`);
    expect((await captureRun(inStore("threads"))).stdout).toContain("  Fix the parser");
    expect((await captureRun(inStore("context", short))).stdout).toContain(`Fix the parser (${id}): call 1 of 1`);
    expect((await json(inStore("verify"))).code).toBe(0);
    for (const title of [" ", "x".repeat(201)]) expect((await json(inStore("title", short, title))).code).toBe(2);
    await json(inStore("erase", id, "--yes"));
    expect(readFileSync(bench.store, "latin1")).not.toContain("Fix the parser");
    expect((await captureRun(inStore("threads"))).stdout).not.toContain("Fix the parser");
    expect((await json(inStore("title", id, "Again"))).code).not.toBe(0);
  });

  it("says so when there is none, and makes no store", async () => {
    expect((await json(inStore("threads"))).code).toBe(7);
    await json(inStore("import", bench.file("pi.jsonl", PI_SESSION)));
    const [first] = ((await json(inStore("threads"))).envelope.data as { threads: { threadId: string }[] }).threads;
    await json(inStore("erase", first?.threadId ?? "", "--yes"));
    expect((await json(inStore("threads"))).code).toBe(0);
  });
});
