import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { openAiSession, PI_SESSION } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

describe("bad input", () => {
  const battery: [string, () => string | Uint8Array, string, number][] = [
    ["an empty file", () => "", "EMPTY_SOURCE", 1],
    ["white space", () => " \n\n", "EMPTY_SOURCE", 1],
    ["a binary file", () => Uint8Array.from({ length: 4096 }, (_, index) => (index * 97) % 256), "UNKNOWN_FORMAT", 1],
    [
      "a cut-off gzip file",
      () => Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x4c]),
      "CORRUPT_ARCHIVE",
      1,
    ],
    ["a line of 10 MB", () => "x".repeat(10_000_000), "UNKNOWN_FORMAT", 1],
    ["JSON 10 000 levels deep", () => `${"[".repeat(10_000)}${"]".repeat(10_000)}`, "UNKNOWN_FORMAT", 1],
    ["a program of another kind", () => "#!/bin/sh\necho hello\n", "UNKNOWN_FORMAT", 1],
  ];
  it.each(battery)("%s ends in a typed error and nothing written", async (_name, content, errorCode, exitCode) => {
    const path = bench.file("input", content());
    const out = bench.path("out");
    for (const argv of [
      ["compact", path, "--out", out, "--store", bench.store],
      ["import", path, "--store", bench.store],
    ]) {
      const { code, envelope } = await json(argv);
      expect(envelope).toMatchObject({ ok: false, data: null, error: { code: errorCode } });
      expect(code).toBe(exitCode);
    }
    expect(readdirSync(bench.root)).toEqual(["input"]);
  });

  it("a forced format that is another one is refused", async () => {
    const path = bench.file("session.jsonl", PI_SESSION);
    const { code, envelope } = await json(["compact", path, "--from", "openai-chat"]);
    expect([code, envelope.error?.code]).toEqual([1, "WRONG_FORMAT"]);
  });

  it("what is larger than its limit names the option that raises it, of every command that reads one", async () => {
    const path = bench.file("session.json", openAiSession());
    for (const argv of [
      ["compact", path],
      ["compact", "-"],
      ["plan", path],
      ["import", path, "--store", bench.store],
      ["simulate", path, "--preset", "codex", "--policy", "none", "--budget", "20k"],
      ["inspect", path, "--out", bench.path("page.html")],
      ["context", path],
    ]) {
      const stdin = openAiSession();
      const { code, envelope } = await json([...argv, "--max-size", "1k"], { stdin });
      expect([code, envelope.error?.code], argv[0]).toEqual([1, "SOURCE_TOO_LARGE"]);
      expect(envelope.error?.hint).toContain("--max-size");
      expect((await json([...argv, "--max-size", "1m"], { stdin })).code, argv[0]).toBe(0);
    }
  });

  it("standard input is read like a file, and an interrupt ends the wait for it", async () => {
    const { code, data } = await compact(["-", "--store", bench.store], { stdin: openAiSession() });
    expect([code, data.source.format]).toEqual([0, "openai-chat"]);
    expect((await captureRun(["compact", "-"], { stdin: openAiSession() })).stdout).toMatch(
      /^standard input \(openai-chat\)/,
    );
    expect((await json(["import", "-", "--store", bench.store], { stdin: openAiSession() })).code).toBe(0);
    expect(await json(["compact", "-"])).toMatchObject({ code: 1, envelope: { error: { code: "EMPTY_SOURCE" } } });
    expect(await json(["lint", "-", "--format", "openai-chat"])).toMatchObject({
      code: 1,
      envelope: { error: { code: "EMPTY_SOURCE", hint: expect.stringContaining("one request") } },
    });
    for (const argv of [
      ["compact", "-"],
      ["lint", "-", "--format", "openai-chat"],
    ]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 20);
      const { code: ended, envelope } = await json(argv, { stdin: null, signal: controller.signal });
      expect([ended, envelope.error?.code]).toEqual([130, "ABORTED"]);
    }
  });

  it("paths that are missing, or folders, or below files, are told apart", async () => {
    const path = bench.file("small.json", openAiSession());
    const missing = { message: `The file ${bench.path("none.jsonl")} cannot be read: there is no such file (ENOENT).` };
    expect(await json(["compact", bench.path("none.jsonl")])).toMatchObject({
      code: 5,
      envelope: { error: { code: "UNREADABLE_SOURCE", ...missing } },
    });
    expect(await json(["compact", bench.root])).toMatchObject({
      code: 1,
      envelope: { error: { code: "UNREADABLE_SOURCE" } },
    });
    expect(await json(["compact", join(path, "below")])).toMatchObject({
      code: 1,
      envelope: { error: { code: "UNREADABLE_SOURCE" } },
    });
    expect(await json(["compact", path, "--store", bench.root])).toMatchObject({
      code: 7,
      envelope: { error: { code: "STORE_UNAVAILABLE" } },
    });
    expect(await json(["compact", path, "--store", bench.path("none/x.db")])).toMatchObject({
      code: 7,
      envelope: { error: { code: "STORE_UNAVAILABLE" } },
    });
  });

  it("a store whose path the system refuses is unavailable, to whatever command", async () => {
    const path = bench.file("small.json", openAiSession());
    for (const argv of [["import", path], ["threads"], ["verify"], ["doctor"]]) {
      const { code, envelope } = await json([...argv, "--store", bench.path("x".repeat(300))]);
      expect([argv[0], code, envelope.error?.code]).toEqual([argv[0], 7, "STORE_UNAVAILABLE"]);
      expect(envelope.error?.hint).not.toBe("");
    }
  });

  it("a store of another program is left as it is", async () => {
    const path = bench.file("small.json", openAiSession());
    const foreign = bench.file("notes.txt", "my notes, not a database\n".repeat(20));
    for (const argv of [["compact", path], ["import", path], ["verify"], ["plans", "t"]]) {
      expect(await json([...argv, "--store", foreign])).toMatchObject({
        code: 7,
        envelope: { error: { code: "STORE_FOREIGN" } },
      });
    }
    expect(readFileSync(foreign, "utf8")).toBe("my notes, not a database\n".repeat(20));
    expect(readdirSync(bench.root).sort()).toEqual(["notes.txt", "small.json"]);
  });

  it("lone surrogates and __proto__ keys go through and change no prototype", async () => {
    const text =
      '{"messages":[{"role":"user","content":"half \\ud800 a pair"},' +
      '{"role":"assistant","content":"ok","__proto__":{"polluted":true}},{"__proto__":{"role":"user"},"role":"user","content":"next"}]}';
    const { code, data } = await compact([bench.file("odd.json", text), "--store", bench.store]);
    expect(code).toBe(0);
    expect(data.source.messages).toBe(3);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect((await json(["replay", data.threadId, "--store", bench.store])).code).toBe(0);
  });

  it("a message that changed since it was stored is a conflict", async () => {
    const first = bench.file("a.jsonl", PI_SESSION);
    const changed = bench.file("b.jsonl", PI_SESSION.replace("List the files.", "List the other files."));
    expect((await json(["import", first, "--store", bench.store])).code).toBe(0);
    const { code, envelope } = await json(["import", changed, "--store", bench.store]);
    expect([code, envelope.error?.code]).toEqual([4, "DUPLICATE_MESSAGE_ID"]);
  });
});
