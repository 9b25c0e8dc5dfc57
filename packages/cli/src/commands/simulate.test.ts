import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { modelRow, PROMPT_CACHE_PRICES } from "@threadfold/core";
import type { InspectionIndex } from "@threadfold/inspection";
import { PRESETS } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();
const size = z.int().nonnegative();
const share = z.number().gte(0).lte(1).nullable();
const relative = z.number().gt(0).nullable();
const recallSchema = z.strictObject({
  needs: size,
  direct: share,
  reachable: share,
  byOwnWords: share,
  byCallWords: share,
});

/** One entry of `data.policies` and `data.baselines`. */
const figuresSchema = z.strictObject({
  policy: z.string(),
  budget: size,
  sessions: size,
  requests: size,
  tokensSent: size,
  peakTokens: size,
  fitRate: share,
  overBudgetAvoidable: share,
  commitsPer100Calls: z.number().nullable(),
  breaksPer100Calls: z.number().nullable(),
  bill: z.strictObject({ a: relative, b: relative, c: relative }),
  dollars: z.number().gt(0).exactOptional(),
  providerBills: z.record(z.string(), z.strictObject({ tokens: size, relative })),
  summaryTokens: z.strictObject({ read: size, wrote: size }),
  coldRecall: recallSchema,
  recall: recallSchema,
  answers: z.strictObject({
    asked: size,
    averageTokens: z.number().nullable(),
    mostTokens: size.nullable(),
    bill: z.strictObject({ a: relative, b: relative, c: relative }),
  }),
  memory: z.strictObject({
    ask: share,
    report: share,
    quote: share,
    handoff: share,
    edit: share,
    run: share,
    need: share,
    name: share,
    recent: share,
    bareNames: share,
  }),
  constraintSurvival: share,
  violations: size,
  plannerMs: z.strictObject({ median: z.number().nullable(), p99: z.number().nullable() }),
  emptyPrompts: size,
  newestLost: size,
  throws: size,
  problems: z.array(z.string()),
});

/** What `simulate --json` promises. */
const dataSchema = z.strictObject({
  summarizer: z.enum(["extractive", "lossy"]),
  sessions: z.array(
    z.strictObject({
      name: z.string(),
      format: z.string(),
      calls: size,
      tokens: size,
      needs: size,
      coldNeeds: size,
      budgets: z.array(size),
    }),
  ),
  policies: z.array(figuresSchema),
  baselines: z.array(figuresSchema),
  html: z.string().optional(),
});

async function simulateJson(argv: readonly string[]) {
  const { code, envelope } = await json(["simulate", ...argv]);
  return { code, envelope, data: dataSchema.parse(envelope.data) };
}

const session = () => bench.file("long.json", openAiSession(LONG));

describe("simulate", () => {
  it("replays every preset with the fields that --config sets", async () => {
    const file = bench.file("session.json", openAiSession(LONG));
    const argv = ["simulate", file, "--budget", "9k", "--preset", "threadfold", "--policy", "none"];
    const breaks = async (...fields: string[]) => {
      const { envelope } = await json([...argv, ...fields]);
      return (envelope.data as { policies: [{ commitsPer100Calls: number }] }).policies[0].commitsPer100Calls;
    };
    expect(await breaks("--config", "targetPercent=0.85", "--config", "minCallsPerFold=1")).toBeGreaterThan(
      await breaks(),
    );
    const wrong = await json([...argv, "--config", "nothing=1"]);
    expect(wrong).toMatchObject({ code: 2, envelope: { error: { code: "INVALID_CONFIG" } } });
    const none = await json(["simulate", file, "--preset", "none", "--config", "targetPercent=0.4"]);
    expect(none).toMatchObject({ code: 2, envelope: { error: { code: "USAGE" } } });
  });

  it("gives one entry per preset and budget with every figure, and the baselines beside them", async () => {
    const { code, data, envelope } = await simulateJson([
      session(),
      "--preset",
      "codex,threadfold",
      "--budget",
      "10k,20000",
    ]);
    expect(code).toBe(0);
    expect(envelope.warnings).toEqual([]);
    expect(data.policies.map(({ policy, budget }) => [policy, budget])).toEqual(
      [20_000, 10_000].flatMap((budget) => ["codex", "threadfold"].map((name) => [name, budget])),
    );
    expect(data.baselines.map(({ policy }) => policy)).toContain("no-compaction");
    expect(data.sessions).toMatchObject([{ format: "openai-chat", calls: 61, budgets: [20_000, 10_000] }]);
    for (const { requests, providerBills, violations, throws } of data.policies) {
      expect({ requests, violations, throws }).toEqual({ requests: 61, violations: 0, throws: 0 });
      expect(Object.keys(providerBills)).toEqual([...PROMPT_CACHE_PRICES.map(({ id }) => id), "anthropic-auto"]);
    }
  });

  it("adds up a list that is given in several places", async () => {
    const lists = ["--preset", "codex", "--preset=threadfold", "--budget", "20k,15k", "--budget", "10k"];
    const baselines = ["--policy", "floor", "--policy", "no-compaction"];
    const { code, data } = await simulateJson([...lists, session(), ...baselines]);
    expect(code).toBe(0);
    const ids = ({ policy }: { readonly policy: string }) => policy;
    expect(new Set(data.policies.map(ids))).toEqual(new Set(["codex", "threadfold"]));
    expect(new Set(data.baselines.map(ids))).toEqual(new Set(["floor", "no-compaction"]));
    expect(new Set(data.policies.map(({ budget }) => budget))).toEqual(new Set([20_000, 15_000, 10_000]));
    const bad = await json(["simulate", session(), "--budget", "10k", "--budget", ""]);
    expect(bad).toMatchObject({ code: 2, envelope: { error: { code: "USAGE" } } });
  });

  it("says bills in dollars for a model whose prices are known, and refuses any other", async () => {
    const asked = [session(), "--preset", "threadfold", "--policy", "no-compaction", "--budget", "10k"];
    const { data } = await simulateJson([...asked, "--model", "claude-sonnet-5"]);
    const price = modelRow("claude-sonnet-5")?.inputPrice ?? Number.NaN;
    const [folded, whole] = [...data.policies, ...data.baselines];
    for (const figures of [folded, whole])
      expect(figures?.dollars).toBeCloseTo(((figures?.providerBills["anthropic"]?.tokens ?? 0) * price) / 1e6, 9);
    expect(folded?.dollars).not.toBe(whole?.dollars);
    const { stdout } = await captureRun(["simulate", ...asked, "--model", "claude-sonnet-5"], { isTTY: true });
    expect(stdout).toMatch(/bill .* dollars\n/);
    expect(stdout).toContain(` ${folded?.dollars?.toFixed(2)}\n`);
    expect(await json(["simulate", ...asked, "--model", "nobodys-9"])).toMatchObject({
      code: 2,
      envelope: { error: { code: "USAGE", hint: expect.stringContaining("threadfold models") } },
    });
    const { data: unpriced } = await simulateJson(asked);
    expect(unpriced.policies[0]).not.toHaveProperty("dollars");
  });

  it("takes every preset by default", async () => {
    const { data } = await simulateJson([session(), "--policy", "none", "--budget", "15k"]);
    expect(data.policies.map(({ policy }) => policy)).toEqual(PRESETS.map(({ name }) => name));
  });

  it("prints a table for people, as wide as a page", async () => {
    let now = 0;
    const asked = ["simulate", session(), "--preset", "threadfold,codex", "--budget", "10k"];
    const { code, stdout, stderr } = await captureRun(asked, { now: () => (now += 1_500) });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Replayed 1 session in \d+ runs, in \d+\.[05] s\.$/m);
    expect(stderr).not.toContain("in 0.0 s");
    expect(stdout).toMatch(/10,000 tokens: 1 session, 61 calls/);
    expect(stdout).toMatch(/^ {2}threadfold +0\.\d{3} /m);
    expect(stdout).toMatch(/^ {2}no-compaction +1\.000 /m);
    const priced = await captureRun([...asked, "--model", "claude-sonnet-5"]);
    for (const line of `${stdout}\n${priced.stdout}`.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    // Every figure may have more digits elsewhere, and those about time have more on a machine at work.
    expect(/^ {2}policy .*$/m.exec(stdout)?.[0].length).toBeLessThanOrEqual(90);
  });

  it("pays for every summary where a model is stood in for", async () => {
    const { data } = await simulateJson([
      session(),
      "--preset",
      "claude-code",
      "--policy",
      "none",
      "--budget",
      "10k",
      "--summarizer",
      "lossy",
    ]);
    expect(data.policies[0]?.summaryTokens.read).toBeGreaterThan(0);
    expect(data.baselines).toEqual([]);
  });

  it("says that a session fits, and gives its entries without figures", async () => {
    const { code, data, envelope } = await simulateJson([
      session(),
      "--preset",
      "threadfold",
      "--policy",
      "none",
      "--budget",
      "1m",
    ]);
    expect(code).toBe(0);
    expect(envelope.warnings).toMatchObject([{ code: "fits-every-budget" }]);
    expect(data.policies).toMatchObject([{ sessions: 0, bill: { a: null } }]);
  });

  it("writes one page that needs nothing else", async () => {
    const path = bench.path("report.html");
    const { data } = await simulateJson([
      session(),
      "--preset",
      "threadfold",
      "--policy",
      "floor",
      "--budget",
      "10k",
      "--html",
      path,
    ]);
    expect(data.html).toBe(path);
    const [, base64 = ""] = /id="index">([^<]*)</.exec(readFileSync(path, "utf8")) ?? [];
    const index = JSON.parse(gunzipSync(Buffer.from(base64, "base64")).toString()) as InspectionIndex;
    const compared = index.comparison?.policies.map(({ policy, budget, bill }) => [policy, budget, bill]);
    expect(compared).toEqual(
      [...data.policies, ...data.baselines].map(({ policy, budget, bill }) => [policy, budget, bill.a]),
    );
    expect(index.plans.length).toBeGreaterThan(0);
    // What a budget of 10,000 leaves where no provider counts.
    expect(new Set(index.calls.limit)).toEqual(new Set([9_950]));
    expect(readdirSync(bench.root).sort()).toEqual(["long.json", "report.html"]);
  });

  it("leaves out what cannot be read, and fails when nothing is left", async () => {
    const broken = bench.file("broken.json", "this is no session");
    const some = await simulateJson([
      broken,
      session(),
      "--preset",
      "threadfold",
      "--policy",
      "none",
      "--budget",
      "10k",
    ]);
    expect(some.code).toBe(0);
    expect(some.envelope.warnings).toMatchObject([{ code: "session-left-out" }]);
    const none = await json(["simulate", broken]);
    expect(none).toMatchObject({ code: 1, envelope: { error: { code: "UNKNOWN_FORMAT" } } });
    const missing = await json(["simulate", bench.path("missing.json")]);
    expect(missing).toMatchObject({ code: 5, envelope: { error: { code: "UNREADABLE_SOURCE" } } });
  });

  it("refuses names and numbers that it does not know, before any work", async () => {
    for (const argv of [
      ["--preset", "nobody"],
      ["--policy", "nobody"],
      ["--budget", "0"],
      ["--budget", "20000,,1"],
      ["--summarizer", "nobody"],
      ["--html", ""],
      ["--preset", "none", "--policy", "none"],
    ])
      expect((await json(["simulate", session(), ...argv])).code, argv.join(" ")).toBe(2);
    expect((await json(["simulate"])).code).toBe(2);
  });

  it("proves that the page can be written before it begins", async () => {
    mkdirSync(bench.path("folder"));
    for (const path of [bench.path("folder"), bench.path("nowhere/report.html")])
      expect(await json(["simulate", session(), "--html", path])).toMatchObject({
        code: 1,
        envelope: { error: { code: "OUTPUT_UNWRITABLE" } },
      });
  });

  it("is interrupted cleanly and leaves no file", async () => {
    const path = bench.path("report.html");
    for (const milliseconds of [1, 30, 60]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), milliseconds);
      const { code, envelope } = await json(["simulate", session(), "--html", path], { signal: controller.signal });
      expect({ code, error: envelope.error?.code }).toEqual({ code: 130, error: "ABORTED" });
      expect(existsSync(path)).toBe(false);
    }
  });
});
