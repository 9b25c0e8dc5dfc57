import { AgentThread, asThreadId, type MessageInput, type ProbeVerdict } from "@threadfold/core";
import { assistant, call, keepLaws, message, result, text, tool } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { durableProposals } from "../durability/durability-policy.ts";
import { scriptMessages } from "../laws/script-thread.ts";
import { contextOf } from "../laws/strategy-context-arbitrary.ts";
import { strategyLaws } from "../laws/strategy-laws.ts";
import {
  type CompactionProposal,
  type CompactionStrategy,
  pointerTokens,
  type StrategyContext,
} from "../strategy/compaction-strategy.ts";
import { lastTurns, nothing } from "../windows/cut-points.ts";
import { pruneStrategy } from "../windows/prune-strategy.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { clearStrategy } from "./clear-strategy.ts";
import { dropStrategy } from "./drop-strategy.ts";
import { externalizeStrategy } from "./externalize-strategy.ts";
import { summarizeStrategy } from "./summarize-strategy.ts";
import { truncateStrategy } from "./truncate-strategy.ts";

const strategies = [
  externalizeStrategy,
  clearStrategy,
  summarizeStrategy,
  dropStrategy,
  truncateStrategy,
  pruneStrategy({ protectTokens: 60, minimumTokens: 20 }),
  windowStrategy({ name: "summarize-all", cut: nothing, fold: "summarize", keepUserTokens: 40 }),
  windowStrategy({ name: "one-summary", cut: lastTurns(1), fold: "summarize", keepUserTokens: 40, oneSummary: true }),
  windowStrategy({ name: "turn-window", cut: lastTurns(1), fold: "drop" }),
];

for (const strategy of strategies) keepLaws(`${strategy.name} strategy`, strategyLaws(strategy), { describe, it });

/** An old turn of this, and newer ones that nothing takes. */
function contextFor(
  messages: readonly MessageInput[],
  config: Partial<StrategyContext["config"]> = {},
  needed = 1e9,
): StrategyContext {
  const later = scriptMessages("u1 a1 u2 a2 u3 a3 u4 a4 u5", 10);
  const context = contextOf(AgentThread.empty(asThreadId("t")).append([...messages, ...later]), needed);
  return { ...context, config: { ...context.config, ...config } };
}
const proposed = (strategy: CompactionStrategy, ...input: Parameters<typeof contextFor>) =>
  strategy.analyze(contextFor(...input)).filter(({ ordinals }) => (ordinals[0] as number) < input[0].length);
/** A call with a result of so many tokens. */
const exchange = (at: number, tokens: number, toolName = "read", fields: object = {}) => [
  assistant(`call-${at}`, call(`c${at}`, toolName, { path: "a.ts" })),
  tool(`result-${at}`, result(`c${at}`, "x".repeat(4 * tokens), { toolName, ...fields })),
];

describe("the externalize strategy", () => {
  const sizes = (...input: Parameters<typeof contextFor>) =>
    proposed(externalizeStrategy, ...input).map(({ ordinals }) => ordinals[0]);

  it("externalizes results above the threshold, and user texts above four times the threshold", () => {
    expect(sizes(exchange(0, 120))).toEqual([]);
    expect(sizes(exchange(0, 121))).toEqual([1]);
    expect(sizes(exchange(0, 71), { externalizeThresholdTokens: 20 })).toEqual([1]);
    expect(sizes(exchange(0, 70), { externalizeThresholdTokens: 20 })).toEqual([]);
    const said = (tokens: number, role: "user" | "assistant" = "user") => [message("m", role, "x".repeat(4 * tokens))];
    expect([sizes(said(480)), sizes(said(481)), sizes(said(2_000, "assistant"))]).toEqual([[], [0], []]);
    expect([
      sizes(said(70), { externalizeThresholdTokens: 1 }),
      sizes(said(71), { externalizeThresholdTokens: 1 }),
    ]).toEqual([[], [0]]);
  });

  it("skips results that came from the store and results that are free to obtain again", () => {
    expect(sizes(exchange(0, 500, "read_artifact"))).toEqual([]);
    const free = (durability: "ephemeral" | "non_replayable", replayCost: "free" | "cheap") => ({
      toolDurabilityOverrides: {
        ask: { durability, mustPreserveFields: [], replayCost, externalizeThresholdTokens: 300 },
      },
    });
    const sizesOf = (tokens: number, ...input: Parameters<typeof free>) =>
      sizes(exchange(0, tokens, "ask", { durability: input[0] }), free(...input) as never);
    expect([sizesOf(300, "ephemeral", "cheap"), sizesOf(301, "ephemeral", "cheap")]).toEqual([[], [1]]);
    expect([sizesOf(500, "ephemeral", "free"), sizesOf(500, "non_replayable", "free")]).toEqual([[], [1]]);
  });

  it("stops when enough is freed, and states what each proposal frees", () => {
    const three = [...exchange(0, 500), ...exchange(1, 400), ...exchange(2, 300)];
    const all = proposed(externalizeStrategy, three);
    expect(all.map(({ ordinals, estimatedTokensFreed }) => [ordinals[0], estimatedTokensFreed])).toEqual([
      ...[
        [1, 500 - pointerTokens(500)],
        [3, 400 - pointerTokens(400)],
        [5, 300 - pointerTokens(300)],
      ],
    ]);
    const first = 500 - pointerTokens(500);
    expect(proposed(externalizeStrategy, three, {}, first)).toHaveLength(1);
    expect(proposed(externalizeStrategy, three, {}, first + 1)).toHaveLength(2);
    expect(all[0]).toMatchObject({
      strategy: "externalize",
      reason: expect.stringContaining("result of read takes 500 tokens"),
    });
  });
});

describe("the clear strategy", () => {
  it("clears old results worth a placeholder, and externalizes those that cannot be obtained again", () => {
    const actions = (tokens: number, durability: string, config = {}) =>
      proposed(clearStrategy, exchange(0, tokens, "ask", { durability }), config).map(({ action, ordinals }) => [
        action,
        ordinals[0],
      ]);
    expect([actions(80, "ephemeral"), actions(81, "ephemeral")]).toEqual([[], [["clear", 1]]]);
    expect([actions(140, "non_replayable"), actions(141, "non_replayable")]).toEqual([[], [["externalize", 1]]]);
    expect(actions(500, "non_replayable", { enableExternalization: false })).toEqual([]);
    // Nobody looked at the source.
    expect(actions(500, "replayable")).toEqual([["externalize", 1]]);
  });

  it("clears a replayable result only if its source is unchanged or was not probed yet", () => {
    const context = contextFor(exchange(0, 500, "ask", { durability: "replayable" }));
    const shown = (verdict: ProbeVerdict | undefined) =>
      clearStrategy.analyze({ ...context, replayVerdict: () => verdict })[0] as CompactionProposal;
    expect(
      (["matches", undefined, "changed", "unverifiable"] as const).map((verdict) => shown(verdict).action),
    ).toEqual([...["clear", "clear", "externalize", "externalize"]]);
    expect(shown("changed").reason).toContain("changed");
    expect(shown("unverifiable").reason).toContain("verifies");
    expect(shown("changed").estimatedTokensFreed).toBe(500 - pointerTokens(500));
    expect(shown("matches").estimatedTokensFreed).toBe(460);
  });

  it("clears large arguments and thinking of old steps, but not the newest thinking", () => {
    const thinking = { type: "reasoning", text: "y".repeat(2_400), provider: "anthropic" } as const;
    const old = assistant("a0", [thinking, call("c0", "write", { path: "a.ts", content: "x".repeat(4_000) })]);
    const [both] = proposed(clearStrategy, [old, ...exchange(0, 10).slice(1)]);
    expect(both).toMatchObject({
      action: "clear",
      ordinals: [0],
      targets: expect.arrayContaining(["tool-input", "reasoning"]),
    });
    expect(both).toMatchObject({ keep: { headCharacters: 80, tailCharacters: 0 } });
    const [thought] = proposed(clearStrategy, [assistant("a0", [thinking, text("Fine.")])]);
    expect(thought).toMatchObject({ targets: ["reasoning"] });
    expect(thought).not.toHaveProperty("keep");
    const context = contextOf(
      AgentThread.empty(asThreadId("t")).append([
        assistant("a0", [thinking, text("Fine.")]),
        ...scriptMessages("u1 u2 u3 u4 u5", 10),
      ]),
      1e9,
    );
    expect(clearStrategy.analyze(context)).toEqual([]);
  });
});

describe("durableProposals", () => {
  const context = contextFor([
    ...exchange(0, 500, "ask", { durability: "ephemeral" }),
    ...exchange(1, 500, "ask", { durability: "non_replayable" }),
  ]);
  const clear = (ordinals: readonly number[], fields: object = {}) =>
    ({
      action: "clear",
      strategy: "own",
      ordinals,
      targets: ["tool-result"],
      estimatedTokensFreed: 1,
      reason: "old",
      ...fields,
    }) as CompactionProposal;
  const durable = (proposal: CompactionProposal) =>
    durableProposals(proposal, context.shape, () => undefined, context.config);

  it("clears only results that can be obtained again, and externalizes the others", () => {
    expect(durable(clear([1]))).toEqual([clear([1])]);
    expect(durable(clear([1, 3]))).toMatchObject([
      clear([1]),
      { action: "externalize", strategy: "own", ordinals: [3] },
    ]);
    expect(durable(clear([3]))).toMatchObject([{ action: "externalize", ordinals: [3] }]);
  });

  it("keeps a proposal whole if it keeps the ends of a result or clears something else", () => {
    for (const proposal of [
      clear([3], { keep: { headCharacters: 1, tailCharacters: 1 } }),
      clear([3], { targets: ["text"] }),
      clear([3], { action: "drop" }),
    ])
      expect(durable(proposal)).toEqual([proposal]);
  });

  it("externalizes a result that is expensive to obtain again", () => {
    const toolDurabilityOverrides = {
      ask: { durability: "ephemeral", mustPreserveFields: [], replayCost: "expensive" },
    };
    const [instead] = durableProposals(clear([1]), context.shape, () => "matches", {
      enableExternalization: true,
      toolDurabilityOverrides,
    } as never);
    expect(instead).toMatchObject({ action: "externalize", reason: expect.stringContaining("expensive") });
  });
});

describe("the last rungs of the ladder", () => {
  it("drop only as many of the oldest groups as needed, and none that is already gone", () => {
    const three = [...exchange(0, 100), ...exchange(1, 100), ...exchange(2, 100)];
    const each = proposed(dropStrategy, three)[0]?.estimatedTokensFreed ?? 0;
    expect(each).toBeGreaterThan(100);
    expect(proposed(dropStrategy, three, {}, each).map(({ ordinals }) => ordinals)).toEqual([[0, 1]]);
    expect(proposed(dropStrategy, three, {}, each + 1).map(({ ordinals }) => ordinals)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    const context = contextFor(three);
    for (const action of ["drop", "summarize"] as const) {
      const heldBy = (at: number) => (at < 2 ? ({ action } as never) : undefined);
      expect(dropStrategy.analyze({ ...context, heldBy })[0]?.ordinals).toEqual([2, 3]);
    }
    const cleared = { ...context, heldBy: () => ({ action: "clear" }) as never };
    expect(dropStrategy.analyze(cleared)[0]?.ordinals).toEqual([0, 1]);
  });

  it("truncate bodies larger than both kept ends, each message by its kind", () => {
    const large = [...exchange(0, 500), message("u0", "user", "x".repeat(2_000)), assistant("a0", "x".repeat(2_000))];
    const cut = truncateStrategy.analyze({ ...contextFor(large), truncateTo: 100 });
    expect(cut.map((proposal) => [proposal.ordinals[0], "targets" in proposal && proposal.targets])).toEqual([
      [1, ["tool-result"]],
      [2, ["text", "media"]],
      [3, ["text", "tool-input", "reasoning", "media"]],
    ]);
    expect(cut[0]).toMatchObject({
      keep: { headCharacters: 100, tailCharacters: 100 },
      estimatedTokensFreed: 500 - 90,
    });
    const { truncateTo: _, ...without } = contextFor(large);
    expect(truncateStrategy.analyze(without)).toEqual([]);
    const at = (tokens: number) =>
      truncateStrategy.analyze({ ...contextFor(exchange(0, tokens)), truncateTo: 100 }).length;
    expect([at(90), at(91)]).toEqual([0, 1]);
  });
});

describe("the limits of the clear strategy", () => {
  const thinking = (tokens: number) =>
    ({ type: "reasoning", text: "y".repeat(4 * tokens), provider: "anthropic" }) as const;
  const written = (tokens: number) => call("c0", "write", { content: "x".repeat(4 * tokens) });
  const answered = exchange(0, 10).slice(1);
  const oldStep = (...parts: Parameters<typeof assistant>[1][]) => [
    assistant("a0", parts.flat() as never),
    ...answered,
  ];
  const first = (messages: readonly MessageInput[], ...more: [StrategyContext["config"]?, number?]) =>
    proposed(clearStrategy, messages, ...more)[0];

  it("leave arguments below 400 tokens and thinking below 40 alone", () => {
    const inputTokens = (tokens: number) => contextFor(oldStep(written(tokens))).shape.header(0).shares.toolInput;
    // The names of the arguments count as well.
    const names = inputTokens(400) - 400;
    expect(first(oldStep(written(399 - names)))).toBeUndefined();
    expect(first(oldStep(written(400 - names)))).toMatchObject({
      ...{ targets: ["tool-input"], estimatedTokensFreed: 400 - 120 },
    });
    expect(first(oldStep(thinking(39), text("So.")))).toBeUndefined();
    expect(first(oldStep(thinking(40), text("So.")))).toMatchObject({
      ...{ targets: ["reasoning"], estimatedTokensFreed: 40 },
    });
  });

  it("leave pictures alone that are hardly larger than their placeholder", () => {
    const shown = contextFor([message("m", "user", "See the picture.")]);
    const sized = (media: number) => {
      const header = { ...shown.shape.header(0), shares: { ...shown.shape.header(0).shares, media } };
      const shape = { ...shown.shape, length: shown.shape.length, groupOf: (at: number) => shown.shape.groupOf(at) };
      const at = (ordinal: number) => (ordinal === 0 ? header : shown.shape.header(ordinal));
      return clearStrategy
        .analyze({ ...shown, shape: { ...shape, header: at } as never })
        .map(({ ordinals, estimatedTokensFreed }) => [ordinals[0], estimatedTokensFreed]);
    };
    expect([sized(0), sized(20), sized(21)]).toEqual([[], [], [[0, 1]]]);
  });

  it("leave provider items and messages that are already held alone", () => {
    const context = contextFor([...oldStep(written(900)), ...exchange(1, 500, "ask", { durability: "ephemeral" })]);
    const cleared = (seen: StrategyContext) => clearStrategy.analyze(seen).map(({ ordinals }) => ordinals[0]);
    expect(cleared(context)).toEqual([0, 3]);
    const held = { ...context, heldBy: (at: number) => (at === 0 ? ({ action: "clear" } as never) : undefined) };
    expect(cleared(held)).toEqual([3]);
    const { shape } = context;
    const opaque = {
      ...{ length: shape.length, groupOf: (at: number) => shape.groupOf(at) },
      header: (at: number) => ({ ...shape.header(at), opaque: at === 0 || at === 3 }),
    };
    expect(cleared({ ...context, shape: opaque as never })).toEqual([]);
  });

  it("stop clearing, oldest first, once enough is freed", () => {
    const three = [0, 1, 2].flatMap((at) => exchange(at, 500, "ask", { durability: "ephemeral" }));
    const cleared = (needed: number) => proposed(clearStrategy, three, {}, needed).map(({ ordinals }) => ordinals[0]);
    expect([cleared(0), cleared(460), cleared(461), cleared(920), cleared(921)]).toEqual([
      ...[[], [1], [1, 3], [1, 3], [1, 3, 5]],
    ]);
  });

  it("name in the reason what is cleared, and of which step", () => {
    expect(first(oldStep(thinking(600), text("So.")))?.reason).toBe(
      "Old reasoning of step 1 is emptied; calls, ids and names stay.",
    );
    expect(first(oldStep(thinking(600), written(900)))?.reason).toBe(
      "Old input and reasoning of step 1 are emptied; calls, ids and names stay.",
    );
    expect(first(exchange(0, 500, "ask", { durability: "ephemeral" }))?.reason).toBe(
      "The ephemeral result of ask is old; its key fields stay.",
    );
  });
});

describe("the summarize strategy", () => {
  it("takes the oldest groups until they free what is needed plus the summary itself", () => {
    const five = [0, 1, 2, 3, 4].flatMap((at) => exchange(at, 300));
    const context = contextFor(five);
    const each = [0, 1].reduce((sum, at) => sum + context.renderedTokens(context.shape.header(at)), 0);
    const taken = (needed: number) => proposed(summarizeStrategy, five, {}, needed).flatMap(({ ordinals }) => ordinals);
    const forGroups = (count: number) => count * each - context.summaryMaxTokens;
    expect(taken(forGroups(2))).toEqual([0, 1, 2, 3]);
    expect(taken(forGroups(2) + 1)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
