import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { AgentThread, asPinId, asThreadId, type ErrorCode, ThreadfoldError } from "@threadfold/core";
import { agentThreads, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GoldenPromptOptions } from "../options/golden-options.ts";
import { sampleMessages } from "../testing/sample-messages.ts";
import { renderGoldenPrompt } from "./render-golden-prompt.ts";

const messages = sampleMessages(20, { run: "a1b2c3d4", startMs: Date.UTC(2026, 10, 22) });
const config = { maxInputTokens: 4_000 };

describe("a golden prompt", () => {
  it("is the same bytes for equal input", async () => {
    await fc.assert(
      fc.asyncProperty(agentThreads(), async (thread) => {
        fc.pre(thread.length > 0);
        const first = await renderGoldenPrompt({ thread, formats: ["anthropic-messages", "openai-chat"] });
        const again = await renderGoldenPrompt({ thread, formats: ["anthropic-messages", "openai-chat"] });
        expect([...again.files]).toEqual([...first.files]);
      }),
      runs(25),
    );
  });

  it("R13 is the same bytes in three processes with other time zones and locales, whose runs had other ids and times", async () => {
    const environments: readonly NodeJS.ProcessEnv[] = [
      { TZ: "UTC", LC_ALL: "C", SAMPLE_RUN: "a1b2c3d4", SAMPLE_START: "1700000000000" },
      { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", SAMPLE_RUN: "99ff00ee", SAMPLE_START: "1795313615123" },
      { TZ: "America/St_Johns", LC_ALL: "de_DE.UTF-8", SAMPLE_RUN: "01234567", SAMPLE_START: "1111111111111" },
    ];
    const script = join(import.meta.dirname, "../testing/print-digests.ts");
    const outputs = await Promise.all(
      environments.map((environment) =>
        promisify(execFile)(process.execPath, ["--conditions=threadfold-source", script], {
          env: { ...process.env, ...environment, NODE_OPTIONS: "" },
        }),
      ),
    );
    const [first, ...others] = outputs.map(({ stdout }) => stdout.trim().split("\n"));
    expect(first).toHaveLength(7);
    for (const other of others) expect(other).toEqual(first);
  });

  it("has a page, the plan, the messages, the options and a payload per format", async () => {
    const { files, prepared } = await renderGoldenPrompt({
      messages,
      config,
      formats: ["anthropic-messages", "gemini"],
    });
    expect([...files.keys()]).toEqual([
      "prompt.md",
      "plan.json",
      "messages.json",
      "options.json",
      "anthropic-messages.json",
      "gemini.json",
    ]);
    expect(prepared.outcome?.type).toBe("committed");
    expect(files.get("prompt.md")).toContain("[Context Summary - Turns 1-");
    expect(JSON.parse(files.get("plan.json") ?? "")).toMatchObject({ createdAt: "2026-01-01T00:00:00.000Z" });
    expect(JSON.parse(files.get("anthropic-messages.json") ?? "")).toEqual(prepared.payload);
    expect([...files.values()].join("\n")).not.toMatch(/a1b2c3d4|2026-11-22/);
  });

  it("keeps digests of payloads, or nothing of them, where that is asked for", async () => {
    const digests = await renderGoldenPrompt({
      messages,
      config,
      formats: ["openai-chat", "ai-sdk"],
      payloads: "digests",
    });
    expect(Object.keys(JSON.parse(digests.files.get("payloads.json") ?? "{}"))).toEqual(["openai-chat", "ai-sdk"]);
    const none = await renderGoldenPrompt({ messages, config, payloads: "none" });
    expect(none.files.size).toBe(4);
  });

  it("takes a recorded session with its frame, or the promise of one, and a frame of the caller's own over it", async () => {
    const session = { threadId: asThreadId("s"), messages, system: ["Be brief."], tools: [] };
    const plain = await renderGoldenPrompt({ session });
    expect(plain.files.get("prompt.md")).toContain("Be brief.");
    expect((await renderGoldenPrompt({ session: Promise.resolve(session) })).files).toEqual(plain.files);
    const own = await renderGoldenPrompt({ session, frame: { system: ["Be long."], tools: [] } });
    expect(own.prepared.request.system).toEqual(["Be long."]);
  });

  it("keeps the pins of a thread", async () => {
    const pin = { id: asPinId("p"), text: "Never push to main.", authority: "user", origin: "explicit" } as const;
    const thread = AgentThread.empty(asThreadId("t"))
      .append(messages)
      .appendEntries([{ type: "pin", pin }]);
    expect((await renderGoldenPrompt({ thread, config })).files.get("prompt.md")).toContain(
      '(user) "Never push to main."',
    );
  });

  it("is what a session sends to the model, where one is named, and says which", async () => {
    const long = sampleMessages(200, { run: "a1b2c3d4", startMs: Date.UTC(2026, 10, 22) });
    const unnamed = await renderGoldenPrompt({ messages: long, format: "openai-chat" });
    const named = await renderGoldenPrompt({ messages: long, format: "openai-chat", model: "gpt-4" });
    const made = [unnamed, named].map(({ files }) => JSON.parse(files.get("options.json") ?? ""));
    expect([made[0], made[1].model]).toEqual([expect.not.objectContaining({ model: expect.anything() }), "gpt-4"]);
    expect(unnamed.prepared.tokens).toBeGreaterThan(8_192);
    expect(named.prepared.tokens).toBeLessThan(8_192);
  });

  it.each<[what: string, options: unknown, code: ErrorCode]>([
    ["nothing", undefined, "INVALID_CONFIG"],
    ["no conversation", {}, "INVALID_CONFIG"],
    ["two conversations", { messages, thread: AgentThread.empty(asThreadId("t")) }, "INVALID_CONFIG"],
    ["a thread that is none", { thread: "t" }, "INVALID_CONFIG"],
    ["a session that is none", { session: { threadId: "t" } }, "INVALID_CONFIG"],
    ["no message", { messages: [] }, "EMPTY_SOURCE"],
    ["a malformed message", { messages: [{ id: "m", role: "nobody", parts: [] }] }, "INVALID_MESSAGE"],
    ["an unknown preset", { messages, preset: "nope" }, "INVALID_CONFIG"],
    ["an unknown format", { messages, format: "nope" }, "INVALID_CONFIG"],
    ["a format twice", { messages, formats: ["gemini", "gemini"] }, "INVALID_CONFIG"],
    ["no format", { messages, formats: [] }, "INVALID_CONFIG"],
    ["both format and formats", { messages, format: "gemini", formats: ["gemini"] }, "INVALID_CONFIG"],
    ["an unknown counter", { messages, tokenizer: "nope" }, "INVALID_CONFIG"],
    ["a time that is none", { messages, now: Number.NaN }, "INVALID_CONFIG"],
    ["masks that are no list", { messages, mask: "times" }, "INVALID_CONFIG"],
    ["an unknown way of keeping payloads", { messages, payloads: "some" }, "INVALID_CONFIG"],
    ["an option that does not exist", { messages, prset: "codex" }, "INVALID_CONFIG"],
    ["an option of sessions", { messages, journal: true }, "INVALID_CONFIG"],
    ["a configuration that is no object", { messages, config: "small" }, "INVALID_CONFIG"],
    ["a summarizer that is none", { messages, summarizer: "extractive" }, "INVALID_CONFIG"],
    ["a model that is no name", { messages, model: 7 }, "INVALID_CONFIG"],
    ["a figure out of range", { messages, config: { maxInputTokens: -1 } }, "INVALID_CONFIG"],
  ])("refuses %s", async (_what, options, code) => {
    const failure = await renderGoldenPrompt(options as GoldenPromptOptions).catch((error: unknown) => error);
    expect(ThreadfoldError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ code });
  });
});
