import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { type ModelServer, startModelServer } from "../testing/model-server.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();
const SAID = "The parser was rewritten and its tests pass.";
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const session = () => bench.file("long.json", openAiSession(LONG));

describe("--model", () => {
  it.each([
    ["openai:gpt-5-mini", "/v1", "/v1/chat/completions", "OPENAI_API_KEY", "Bearer key-1"],
    ["openai-responses:gpt-5-mini", "/v1", "/v1/responses", "OPENAI_API_KEY", "Bearer key-1"],
    ["anthropic:claude-haiku-4-5", "", "/v1/messages", "ANTHROPIC_API_KEY", "Bearer key-1"],
    ["ai-sdk:openai/gpt-5-mini", "/v1", "/v1/language-model", "AI_GATEWAY_API_KEY", "Bearer key-1"],
    // A local server: no door in front of the name, a colon in it, and no key.
    ["qwen3:8b", "/v1", "/v1/chat/completions", "NONE", "Bearer none"],
  ])(
    "all-4 compact asks %s for the preset's summary, with the key of the environment",
    async (name, base, path, key, sent) => {
      server = await startModelServer(() => SAID);
      const out = bench.path("out");
      const argv = [session(), "--budget", "8k", "--preset", "codex", "--model", name, "--out", out];
      const { code, data } = await compact([...argv, "--base-url", `${server.url}${base}`], {
        env: { [key]: "key-1" },
      });
      expect([code, data.outcome]).toEqual([0, "committed"]);
      expect(server.asked).toHaveLength(1);
      expect(server.asked[0]).toMatchObject({ path, key: sent });
      expect(JSON.stringify(server.asked[0]?.body)).toContain("CONTEXT CHECKPOINT COMPACTION");
      expect(readFileSync(join(out, "request.json"), "utf8")).toContain(SAID);
      expect(data.model).toMatchObject({ calls: 1, inputTokens: 100, outputTokens: 7 });
    },
  );

  it("tells a person what the model was asked, and progress while it works", async () => {
    server = await startModelServer(() => SAID, 50);
    const argv = [
      "compact",
      session(),
      "--budget",
      "8k",
      "--preset",
      "codex",
      "--model",
      "m",
      "--base-url",
      server.url,
    ];
    let now = 0;
    const { code, stderr } = await captureRun(argv, { now: () => (now += 6_000) });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^openai m, call 1 75 %$/m);
    expect(stderr).toContain("openai m was called once: 100 tokens in, 7 out.");
  });

  it("folds without a model that refuses, and says why; Ctrl-C ends one that thinks", async () => {
    server = await startModelServer(() => 401);
    const argv = ["--budget", "8k", "--preset", "codex", "--model", "m", "--base-url", server.url];
    expect((await compact([session(), ...argv])).data.outcome).toBe("summarizer-failed-floor-used");
    await server.close();
    const controller = new AbortController();
    server = await startModelServer(() => {
      controller.abort();
      return SAID;
    }, 60_000);
    const hung = [session(), ...argv.slice(0, -1), server.url];
    const { code, envelope } = await json(["compact", ...hung], { signal: controller.signal });
    expect([code, envelope.error?.code]).toEqual([130, "ABORTED"]);
  });

  it("amp-2 handoff asks the model, and its words are the briefing", async () => {
    const { data } = await compact([session(), "--store", bench.store, "--budget", "8k"]);
    server = await startModelServer(() => SAID);
    const argv = ["handoff", data.threadId, "next", "--goal", "Write the changelog.", "--store", bench.store];
    const { envelope } = await json([...argv, "--model", "m", "--base-url", server.url]);
    expect(envelope.data).toMatchObject({ briefing: expect.stringContaining(SAID), model: { calls: 1 } });
  });

  it.each([
    [["--model", "gpt-5"], "--model is"],
    [["--model", "openai:"], "--model is"],
    [["--model", "openai:gpt-5"], "OPENAI_API_KEY is not set"],
    [["--model", "ai-sdk:openai/gpt-5"], "AI_GATEWAY_API_KEY is not set"],
    [["--model", "m", "--base-url", "ftp://here"], "--base-url is"],
    [["--base-url", "http://localhost:1"], "--base-url is given without --model"],
  ])("refuses %j", async (argv, problem) => {
    const { code, envelope } = await json(["compact", session(), ...argv]);
    expect([code, envelope.error?.code]).toEqual([2, "USAGE"]);
    expect(envelope.error?.message).toContain(problem);
  });
});
