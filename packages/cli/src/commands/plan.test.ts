import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { PlanCost } from "../plan/plan-data.ts";
import { planPage } from "../plan/plan-page.ts";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();
const size = z.int().nonnegative();
const hiddenList = z.strictObject({
  items: z.array(z.strictObject({ text: z.string(), messageId: z.string() })),
  total: size,
});

/** What `plan --json` promises. */
const planDataSchema = z.strictObject({
  threadId: z.string(),
  source: z.object({ format: z.string(), messages: size }),
  outcome: z.string(),
  trigger: z.strictObject({ level: z.enum(["soft", "hard"]), reason: z.string() }).nullable(),
  tokens: z.strictObject({ before: size, after: size, budget: size, counter: z.string() }),
  plan: z.strictObject({
    planId: z.string(),
    version: size,
    kept: size,
    folded: z.array(
      z.strictObject({ action: z.string(), strategy: z.string(), messages: size, tokens: size, reason: z.string() }),
    ),
  }),
  cost: z
    .strictObject({
      prices: z.strictObject({ id: z.string(), read: z.number(), write: z.number(), ttlSeconds: size }),
      cache: z.enum(["warm", "cold", "uncached"]),
      rewrittenTokens: size,
      cost: z.int(),
      savingPerCall: size,
      breakEvenCalls: size.nullable(),
      expectedCalls: size,
    })
    .nullable(),
  hidden: z.strictObject({
    decisions: hiddenList,
    constraints: hiddenList,
    numbers: hiddenList,
    files: hiddenList,
    identifiers: hiddenList,
  }),
});

async function plan(argv: readonly string[]) {
  const { code, envelope } = await json(["plan", ...argv]);
  return { code, envelope, data: planDataSchema.parse(envelope.data) };
}

describe("plan --dry-run", () => {
  it("says how to commit the plan, with all that made it this one", async () => {
    const path = bench.file("a session.json", openAiSession(LONG));
    const given = [
      "--max-size",
      "1m",
      "--budget",
      "8k",
      "--preset",
      "codex",
      "--config",
      "targetPercent=0.3",
      "--force",
    ];
    const { stdout } = await captureRun(["plan", path, ...given]);
    const command = stdout.slice(stdout.indexOf("To commit this plan:")).replace(/\s+/g, " ").trim();
    expect(command).toBe(`To commit this plan: threadfold compact '${path}' ${given.join(" ")} --store FILE`);
    expect((await captureRun(["plan", path])).stdout).not.toContain("To commit");
  });

  it("says what compact then does, and writes nothing", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const { code, data } = await plan([path, "--dry-run", "--budget", "20000"]);
    expect(code).toBe(0);
    expect(data).toMatchObject({ outcome: "would-commit", trigger: { level: "hard" }, plan: { version: 1 } });
    expect(data.cost).toMatchObject({ prices: { id: "anthropic", read: 0.1, write: 1.25 }, cache: "cold" });
    expect(readdirSync(bench.root)).toEqual(["long.json"]);
    const folded = await compact([path, "--budget", "20000", "--store", bench.store]);
    expect(folded.data.tokens.before).toBe(data.tokens.before);
    expect(folded.data.tokens.after).toBe(data.tokens.after);
    expect(folded.data.plan.planId).toBe(data.plan.planId);
    expect(folded.data.actions.include).toBe(data.plan.kept);
  });

  it("reads as a page, with prices of another provider, and says that compact commits when it was not told to look", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const { code, stdout, stderr } = await captureRun(["plan", path, "--budget", "20000", "--prices", "openai-5.6"]);
    expect(code).toBe(0);
    for (const part of ["would", "openai-5.6: read 0.1×, write 1.25×", "threadfold compact", "no longer see"])
      expect(stdout).toContain(part);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100 + path.length);
    expect(stderr).toContain("compact commits");
    expect((await captureRun(["plan", path, "--dry-run"])).stderr).toBe("");
    expect(existsSync(bench.store)).toBe(false);
  });

  it("counts one of a thing in the singular", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const { data } = await plan([path, "--budget", "20000"]);
    const cost = { ...(data.cost as PlanCost), rewrittenTokens: 1, expectedCalls: 1, breakEvenCalls: 1 };
    const run = { request: { file: path, compactCommand: "compact" }, preview: { outcome: { type: "would-commit" } } };
    const page = { columns: 1_000, isTerminal: false, paint: (_style: string, text: string) => text };
    const text = planPage(run as never, { ...data, cost } as never, page);
    expect(text).toMatch(/; 1 token follows the first change\..*pays off after 1 call; 1 more call is expected\./s);
  });

  it("says so when no fold is due, and plans one all the same when it is told to", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    expect((await plan([path, "--budget", "50k"])).data).toMatchObject({
      outcome: "no-op",
      trigger: null,
      plan: { version: 0, folded: [] },
      cost: null,
    });
    expect((await plan([path, "--budget", "50k", "--force"])).data.outcome).toBe("would-commit");
  });

  it("fails as compact would where nothing fits", async () => {
    const path = bench.file("small.json", openAiSession());
    const { code, envelope } = await json(["plan", path, "--budget", "10"]);
    expect(code).toBe(6);
    expect(envelope.error?.code).toBe("BUDGET_INFEASIBLE");
    expect((await json(["plan", path, "--prices", "nobody"])).code).toBe(2);
  });
});
