import {
  type AgentThread,
  asPinId,
  type CompactionPlan,
  compactionConfig,
  emptyPlan,
  type PlanVerification,
  planRecords,
  renderSummary,
  tokenBudget,
} from "@threadfold/core";
import { assistant, call, countingTokenizer, message, result, tool } from "@threadfold/core/laws";
import { formatById } from "@threadfold/renderer";
import { clearStrategy, durabilityPolicy, summarizeStrategy } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { RequestRenderer } from "../measure/request-renderer.ts";
import { threadState } from "../measure/thread-state.ts";
import type { Turn } from "../state/turn-state.ts";
import { threadOf } from "../testing/fold-case.ts";
import { folded, type RunFoldOptions } from "../testing/run-fold.ts";
import { keepUsed } from "./used-meanwhile.ts";

const LINE = "the session is nil here, and KEY-4711 with it";
const noise = "output ".repeat(400);
const step = (index: number, text: string) => [
  assistant(`a${index}`, call(`c${index}`, "bash", { command: "make" })),
  tool(`t${index}`, result(`c${index}`, text, { toolName: "bash" })),
];
const thread = threadOf(
  ...step(0, `${noise}\n${LINE}\n${noise}`),
  ...[1, 2, 3].flatMap((index) => step(index, `${noise}${index}`)),
);
const config = compactionConfig({ maxInputTokens: 6_000, targetPercent: 0.05, preserveRecentTurns: 0 });

function turnOf(plan: CompactionPlan, redact?: Turn["redact"]): Turn {
  const state = threadState(thread, countingTokenizer(), durabilityPolicy(config));
  const renderer = new RequestRenderer({
    ...{ state, frame: { system: [], tools: [] }, format: formatById("neutral"), summaryRole: "user" },
  });
  return { state, renderer, plan, config, ...(redact !== undefined && { redact }) } as Turn;
}

const asks = (pattern: string): AgentThread =>
  thread.append([assistant("a-use", call("use", "grep", { pattern })), message("u-late", "user", "And?")]);

async function checked(
  ladder: NonNullable<RunFoldOptions["ports"]>["ladder"],
  now: AgentThread,
  redact?: Turn["redact"],
) {
  const plan = emptyPlan(thread.id, config.policyVersion);
  const made = await folded(thread, { plan, config, ports: { ...(ladder !== undefined && { ladder }) } });
  return { made, kept: await keepUsed(turnOf(plan, redact), made, thread.version, now) };
}

describe("a hidden line that a call uses while a fold runs", () => {
  it("is added to the newest summary, with its tool and source message", async () => {
    const { kept } = await checked([summarizeStrategy], asks("'session is nil'"));
    const summary = kept?.plan.summarizations.at(-1)?.summary;
    expect(summary?.identifiers).toMatchObject([{ text: LINE, where: "bash", sources: ["t0"] }]);
    // Whatever is told of a message is handled like the message.
    expect(summary?.handling?.trust).toBe("external");
    expect(kept?.tokens.after).toBe(kept?.plan.compactedTokens);
  });

  it("discards a fold that has no summary to add it to", async () => {
    const { made, kept } = await checked([clearStrategy], asks("'session is nil'"));
    expect(planRecords(made.plan).map(({ action }) => action)).toContain("clear");
    expect(kept).toBeNull();
  });

  it.each([
    ["no call used it", thread.append([message("u-late", "user", "'session is nil'?")])],
    ["the agent was never given it", asks("'nobody said so before'")],
    ["the prompt still says it", asks("what-now")],
  ])("leaves the fold as it is if %s", async (_why, now) => {
    const { made, kept } = await checked([summarizeStrategy], now);
    expect(kept).toBe(made);
  });

  it("is redacted", async () => {
    const redact = (async (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll("KEY-4711", "[secret]"))) as NonNullable<Turn["redact"]>;
    const { kept } = await checked([summarizeStrategy], asks("'session is nil'"), redact);
    expect(JSON.stringify(kept?.plan)).toContain("[secret]");
    expect(JSON.stringify(kept?.plan)).not.toContain("KEY-4711");
  });
});

describe("the line added to a summary", () => {
  const plan = emptyPlan(thread.id, config.policyVersion);
  const made = folded(thread, { plan, config, ports: { ladder: [summarizeStrategy] } });

  /** What the fold becomes where its plan with the line renders to this. */
  async function told(then: Partial<PlanVerification>, now: Partial<PlanVerification> = {}) {
    const turn = turnOf(plan);
    const sound = { tokens: 1_000, violations: [], missingPins: [] };
    const renderer = Object.assign(Object.create(turn.renderer), {
      rendering: (of: CompactionPlan) => turn.renderer.rendering(of),
      verify: (of: CompactionPlan) => ({ ...sound, ...(of === plan ? now : then) }),
    });
    return keepUsed({ ...turn, renderer }, await made, thread.version, asks("'session is nil'"));
  }
  const broken = [{ rule: "pairs" }] as unknown as PlanVerification["violations"];

  it("discards the fold if the plan with it does not fit, frees nothing, hides a pin or breaks more rules", async () => {
    const { softLimit } = tokenBudget(config);
    const { before, after } = (await made).tokens;
    expect(before).toBeLessThan(softLimit * 2);
    expect(await told({ tokens: Math.min(softLimit, before - 1) })).toMatchObject({ tokens: { before } });
    for (const tokens of [Math.max(softLimit, after) + 1, before]) expect(await told({ tokens })).toBeNull();
    expect(await told({ missingPins: [asPinId("p1")] })).toBeNull();
    expect(await told({ violations: broken })).toBeNull();
    expect(await told({ violations: broken }, { violations: broken })).not.toBeNull();
  });

  it("adds its tokens to the summary and changes nothing else of the fold", async () => {
    const kept = await keepUsed(turnOf(plan), await made, thread.version, asks("'session is nil'"));
    const [record, bare] = [kept?.plan.summarizations.at(-1), (await made).plan.summarizations.at(-1)];
    const tokens = (of: typeof bare) =>
      of === undefined ? 0 : countingTokenizer().countTokens(renderSummary(of.summary));
    expect((record?.summaryTokens ?? 0) - (bare?.summaryTokens ?? 0)).toBe(tokens(record) - tokens(bare));
    expect(tokens(record)).toBeGreaterThan(tokens(bare));
    expect(record?.summary.round).toBe(bare?.summary.round);
    expect({ ...kept, plan: 0, tokens: 0 }).toEqual({ ...(await made), plan: 0, tokens: 0 });
  });

  it.each([
    ["whole if it is short", "a b KEY_4711_x c d", "a b KEY_4711_x c d"],
    [
      "with eighty characters on either side",
      `${"l".repeat(200)} KEY_4711_x ${"r".repeat(200)}`,
      `${"l".repeat(79)} KEY_4711_x ${"r".repeat(79)}`,
    ],
    ["from the start of the line", "first\nthen KEY_4711_x and\nlast", "then KEY_4711_x and"],
    ["to the end of the text", "one\nKEY_4711_x", "KEY_4711_x"],
  ])("stands in the summary %s", async (_how, text, line) => {
    const own = threadOf(...step(0, text), ...[1, 2, 3].flatMap((index) => step(index, `${noise}${index}`)));
    const state = threadState(own, countingTokenizer(), durabilityPolicy(config));
    const fold = await folded(own, { plan, config, ports: { ladder: [summarizeStrategy] } });
    const renderer = new RequestRenderer({
      ...{ state, frame: { system: [], tools: [] }, format: formatById("neutral"), summaryRole: "user" },
    });
    const used = own.append([assistant("a-use", call("use", "grep", { pattern: "'KEY_4711_x'" }))]);
    const kept = await keepUsed({ state, renderer, plan, config } as Turn, fold, own.version, used);
    expect(kept?.plan.summarizations.at(-1)?.summary.identifiers).toMatchObject([
      { text: line, where: "bash", sources: ["t0"] },
    ]);
    // A call of a side branch, or of before the fold, uses nothing.
    expect(await keepUsed({ state, renderer, plan, config } as Turn, fold, used.version, used)).toBe(fold);
    const aside = own.append([
      { ...assistant("a-use", call("use", "grep", { pattern: "'KEY_4711_x'" })), branch: "side" },
    ]);
    expect(await keepUsed({ state, renderer, plan, config } as Turn, fold, own.version, aside)).toBe(fold);
  });
});
