import { type AgentThread, type CompactionPlan, compactionConfig, emptyPlan, planRecords } from "@threadfold/core";
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

describe("what calls have used since a fold began", () => {
  it("is told in its newest summary, with the line, whose it was and where it stood", async () => {
    const { kept } = await checked([summarizeStrategy], asks("'session is nil'"));
    const summary = kept?.plan.summarizations.at(-1)?.summary;
    expect(summary?.identifiers).toMatchObject([{ text: LINE, where: "bash", sources: ["t0"] }]);
    // Whatever is told of a message is handled like the message.
    expect(summary?.handling?.trust).toBe("external");
    expect(kept?.tokens.after).toBe(kept?.plan.compactedTokens);
  });

  it("makes the fold one that is not committed where it writes no summary that could say so", async () => {
    const { made, kept } = await checked([clearStrategy], asks("'session is nil'"));
    expect(planRecords(made.plan).map(({ action }) => action)).toContain("clear");
    expect(kept).toBeNull();
  });

  it.each([
    ["nobody used it", thread.append([message("u-late", "user", "'session is nil'?")])],
    ["the agent was never given it", asks("'nobody said so before'")],
    ["the prompt still says it", asks("what-now")],
  ])("leaves the fold as it is where %s", async (_why, now) => {
    const { made, kept } = await checked([summarizeStrategy], now);
    expect(kept).toBe(made);
  });

  it("is told without secrets", async () => {
    const redact = (async (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll("KEY-4711", "[secret]"))) as NonNullable<Turn["redact"]>;
    const { kept } = await checked([summarizeStrategy], asks("'session is nil'"), redact);
    expect(JSON.stringify(kept?.plan)).toContain("[secret]");
    expect(JSON.stringify(kept?.plan)).not.toContain("KEY-4711");
  });
});
