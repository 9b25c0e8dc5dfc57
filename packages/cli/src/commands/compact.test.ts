import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contextCompactionConfigSchema, parsePlan } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { anthropicSession, LONG, openAiSession, PI_SESSION } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

describe("compact --json", () => {
  it("leaves a session alone that fits", async () => {
    const { code, data, envelope } = await compact([bench.file("small.json", openAiSession())]);
    expect(code).toBe(0);
    expect(envelope.ok).toBe(true);
    expect(data.outcome).toBe("no-op");
    expect(data.source).toEqual({ format: "openai-chat", messages: 10, turns: 2, steps: 4, malformed: 0 });
    expect(data.actions).toEqual({ include: 10, clear: 0, summarize: 0, externalize: 0, drop: 0 });
    expect(data.tokens.before).toBe(data.tokens.after);
    expect(data.pins).toEqual({ live: 1, present: 1 });
    expect(data.request?.format).toBe("anthropic-messages");
  });

  it.each([
    ["openai-chat", openAiSession(LONG)],
    ["anthropic-messages", anthropicSession(LONG)],
  ])("folds a long %s session to its budget, in every format", async (from, text) => {
    const path = bench.file("long.json", text);
    for (const format of ["anthropic", "anthropic-messages", "openai-chat", "neutral"]) {
      const { code, data } = await compact([path, "--from", from, "--budget", "8k", "--format", format]);
      expect(code).toBe(0);
      expect(data.outcome).toBe("committed");
      expect(data.tokens.before).toBeGreaterThan(25_000);
      expect(data.tokens.after).toBeLessThanOrEqual(8_000);
      expect(Object.values(data.breakdown ?? {}).reduce((sum, tokens) => sum + tokens, 0)).toBe(data.tokens.after);
      expect(Object.values(data.actions).reduce((sum, messages) => sum + messages, 0)).toBe(data.source.messages);
      expect(data.violations).toEqual([]);
      expect(data.pins.present).toBe(data.pins.live);
      expect(data.plan.version).toBe(1);
      expect(data.request?.format).toBe(format === "anthropic" ? "anthropic-messages" : format);
    }
  });

  it("gives the same request whenever it is asked, and another one with another question", async () => {
    const argv = [bench.file("long.json", openAiSession(LONG)), "--budget", "8000"];
    const first = await compact(argv, { now: () => 1 });
    const second = await compact(argv, { now: () => 1_800_000_000_000 });
    const asked = await compact([...argv, "--ask", "And what is the line?"]);
    expect(second.data.request).toEqual(first.data.request);
    expect(asked.data.request?.digest).not.toBe(first.data.request?.digest);
    expect(asked.data.source).toEqual(first.data.source);
  });

  it("all-5 folds a session that fits when it is asked to, and by what it is to keep", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const roomy = [path, "--budget", "200k"];
    expect((await compact(roomy)).data.outcome).toBe("no-op");
    const forced = await compact([...roomy, "--force"]);
    expect(forced.data).toMatchObject({ outcome: "committed", plan: { version: 1 } });
    expect(forced.data.tokens.after).toBeLessThan(forced.data.tokens.before);
    const told = await compact([...roomy, "--instructions", "Keep everything about errors."]);
    expect(told.data.outcome).toBe("committed");
    const blank = await json(["compact", ...roomy, "--instructions", " "]);
    expect(blank.envelope.error?.code).toBe("USAGE");
  });

  it("reports what it skipped, by line", async () => {
    const { code, data, envelope } = await compact([bench.file("session.jsonl", PI_SESSION)]);
    expect(code).toBe(0);
    expect(data.threadId).toBe("11111111-2222-3333-4444-555555555555");
    expect(data.source).toMatchObject({ format: "pi", malformed: 1 });
    expect(envelope.warnings).toContainEqual({
      code: "malformed-record",
      message: expect.stringMatching(/^line 4 was skipped: /),
    });
  });

  it("says what takes the room when nothing fits", async () => {
    const { code, envelope, data } = await compact([
      bench.file("long.json", openAiSession(LONG)),
      "--budget",
      "20",
      "--out",
      bench.path("out"),
    ]);
    expect(code).toBe(6);
    expect(envelope.error).toMatchObject({
      code: "BUDGET_INFEASIBLE",
      message: expect.stringMatching(/takes \d+ tokens \(system \d+, .*newest \d+.*\); the budget is 20\.$/),
    });
    expect(data).toMatchObject({ outcome: "infeasible", request: null, breakdown: null, tokens: { budget: 20 } });
    expect(existsSync(bench.path("out"))).toBe(false);
  });
});

describe("compact --out", () => {
  it("writes plan, request, manifest and summary, and request.json is the bytes that were digested", async () => {
    const out = bench.path("deep/out");
    const { data } = await compact([bench.file("long.json", openAiSession(LONG)), "--budget", "8000", "--out", out]);
    expect(readdirSync(out).sort()).toEqual(["manifest.json", "plan.json", "request.json", "summary.md"]);
    const read = (name: string) => readFileSync(join(out, name), "utf8");
    expect(data.request).toEqual({
      format: "anthropic-messages",
      digest: createHash("sha256").update(read("request.json")).digest("hex"),
      bytes: Buffer.byteLength(read("request.json")),
      path: join(out, "request.json"),
    });
    expect(parsePlan(read("plan.json"))).toMatchObject({ planId: data.plan.planId, version: 1 });
    expect(JSON.parse(read("manifest.json"))).toMatchObject({ planId: data.plan.planId, format: "anthropic-messages" });
    const summary = read("summary.md");
    expect(summary).toContain("# long.json, folded");
    expect(summary).toContain("Never commit without running the tests first");
    expect(summary).toContain(data.request?.digest);
    expect(summary).toMatch(/^## Summary of \d+ messages of turn \d+$/m);
  });

  it("writes nothing, and stores nothing, where it cannot", async () => {
    const path = bench.file("small.json", openAiSession());
    const blocked = join(bench.file("blocked", ""), "out");
    const { code, envelope } = await json(["compact", path, "--out", blocked, "--store", bench.store]);
    expect(code).toBe(1);
    expect(envelope.error?.code).toBe("OUTPUT_UNWRITABLE");
    expect(readdirSync(bench.root).sort()).toEqual(["blocked", "small.json"]);
  });
});

describe("an interrupt", () => {
  it("ends with 130 and writes no file, whenever it comes, and leaves a store that is intact", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const argv = ["compact", path, "--budget", "8000", "--out", bench.path("out"), "--store", bench.store];
    const codes: number[] = [];
    for (let moment = 0; codes.at(-1) !== 0; moment++) {
      const interrupt = new AbortController();
      let moments = 0;
      const now = () => {
        if (moments++ === moment) interrupt.abort();
        return 1_700_000_000_000;
      };
      const { code } = await json(argv, { signal: interrupt.signal, now });
      codes.push(code);
      if (code === 0) break;
      expect(code).toBe(130);
      expect(existsSync(bench.path("out"))).toBe(false);
      if (existsSync(bench.store)) expect((await json(["verify", "--store", bench.store])).code).toBe(0);
    }
    expect(codes.length).toBeGreaterThan(5);
    expect(readdirSync(bench.path("out"))).toHaveLength(4);
  });
});

describe("compact --config", () => {
  it("sets fields over the preset's, for every command that folds a recorded session", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const tokens = async (...config: string[]) =>
      (await compact([path, "--budget", "8k", ...config.flatMap((one) => ["--config", one])])).data.tokens.after;
    expect(await tokens("targetPercent=0.2")).toBeLessThan(await tokens());
    const kept = await compact([path, "--budget", "8k", "--config", "enableSummarization=false"]);
    expect([kept.code, kept.data.actions.summarize]).toEqual([0, 0]);
    const durable = '{"read_file":{"durability":"non_replayable"}}';
    for (const command of ["compact", "plan", "context"])
      expect((await json([command, path, "--config", `toolDurabilityOverrides=${durable}`])).code).toBe(0);
    const page = ["inspect", path, "--out", bench.path("page.html"), "--config"];
    expect((await json([...page, "policyVersion=mine"])).code).toBe(0);
    expect((await json([...page, "policyVersion=5"])).code).toBe(2);
  });

  it.each([
    ["targetPercent", "it must be a field, = and its value"],
    ["targetPercent=2", "targetPercent: "],
    ["targetPercent=", "targetPercent: "],
    ["targetPercent=1", "must not be above the soft threshold"],
    ["tagetPercent=0.2", "tagetPercent: there is no such option"],
    ["__proto__={}", "there is no such option"],
    ["maxInputTokens=5", "--config does not set maxInputTokens"],
    ["outputReserveTokens=100000", "the output reserve must be smaller"],
  ])("%s is refused", async (field, message) => {
    const { code, envelope } = await json(["compact", bench.file("s.json", openAiSession()), "--config", field]);
    expect([code, envelope.error?.message]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each([
    ["threadfold", []],
    ["codex", ["--preset", "codex"]],
  ])(
    "has every field of the configuration in the help, with the value that the preset %s runs with",
    async (preset, argv) => {
      const { stdout } = await captureRun(["compact", ...argv, "--help"]);
      const { presets } = (await json(["presets"])).envelope.data as {
        presets: { name: string; parameters: object }[];
      };
      const { parameters = {} } = presets.find(({ name }) => name === preset) ?? {};
      const values = Object.entries(parameters).filter(([field]) => field !== "maxInputTokens");
      expect(values.length).toBeGreaterThan(20);
      for (const [field, value] of values) {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        expect(
          stdout.split("\n").some((line) => line.startsWith(`  ${field}=${text} `)),
          field,
        ).toBe(true);
      }
      const fields = Object.keys(contextCompactionConfigSchema.unwrap().shape).filter(
        (field) => field !== "maxInputTokens",
      );
      for (const field of fields) expect(stdout).toMatch(new RegExp(`^  ${field}(=\\S+)? +\\S`, "m"));
      expect(stdout).toContain(`of the preset ${preset}:`);
    },
  );

  it("refuses to tell the fields of a preset that does not exist", async () => {
    expect((await json(["compact", "--preset", "codx", "--help"])).envelope.error).toMatchObject({
      message: expect.stringContaining("codx"),
    });
  });
});
