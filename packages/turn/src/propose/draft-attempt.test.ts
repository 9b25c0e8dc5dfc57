import { compactionConfig, emptyPlan, finishSteps, ThreadfoldError, type ThreadShape } from "@threadfold/core";
import {
  type CompactionProposal,
  type CompactionStrategy,
  clearStrategy,
  dropStrategy,
  externalizeStrategy,
  pruneStrategy,
  type StrategyContext,
  summarizeStrategy,
  threadfoldPreset,
  truncateStrategy,
  turnWindow,
  windowStrategy,
} from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { shapeOf } from "../testing/fold-case.ts";
import { foldedPlan } from "../testing/run-fold.ts";
import { type FoldAttempt, foldAttempts } from "./attempts.ts";
import { draftAttempt } from "./draft-attempt.ts";

const config = compactionConfig({ externalizeThresholdTokens: 100 });
const [usual] = foldAttempts(threadfoldPreset.ladder, config, 0, { exist: false, mayStayWhole: true });

/** A rung that would drop these messages for so many tokens, and what it was shown. */
function rung(ordinals: readonly number[], estimatedTokensFreed: number, fields: Partial<CompactionStrategy> = {}) {
  const seen: StrategyContext[] = [];
  const proposal: CompactionProposal = {
    ...{ action: "drop", strategy: "test", ordinals, estimatedTokensFreed, reason: "a test" },
  };
  const strategy: CompactionStrategy = {
    ...{ name: "test", aggressiveness: 1 },
    analyze(context) {
      seen.push(context);
      return [proposal];
    },
    ...fields,
  };
  return { strategy, seen, proposal };
}

const thread = scriptThread("u1 a1 u2 a2 t2 u3 a3 t3 t3", (label) => (label.startsWith("t") ? 500 : 50));
const shape = shapeOf(thread);
const draft = (
  ladder: readonly CompactionStrategy[],
  needed: number,
  fields: Partial<FoldAttempt> = {},
  ...more: [plan?: ReturnType<typeof emptyPlan>, onProposal?: (proposal: CompactionProposal) => void, grounds?: never]
) => {
  const [plan = emptyPlan(thread.id, "test"), onProposal, grounds] = more;
  const attempt = { ...(usual as FoldAttempt), recentTokens: 0, ...fields, ladder };
  // biome-ignore lint/correctness/useYield: hearing of a proposal takes no steps here.
  const hear = function* (proposal: CompactionProposal) {
    onProposal?.(proposal);
  };
  return finishSteps(draftAttempt(attempt, plan, shape, config, needed, hear, grounds)).draft;
};
const groupsSeen = ({ seen }: ReturnType<typeof rung>) => seen[0]?.foldable.map(({ ordinals }) => ordinals);

describe("an attempt that walks its ladder", () => {
  it.each<readonly [string, unknown, string]>([
    [
      "throws",
      () => {
        throw new TypeError("no rows");
      },
      "TypeError: no rows",
    ],
    ["returns nothing", () => undefined, "TypeError: "],
    ["proposes nothing that can be read", () => [{}], "TypeError: "],
  ])("names a strategy that %s", (_what, analyze, said) => {
    const { strategy } = rung([0], 1, { name: "mine", analyze } as never);
    const refusal = { code: "INVALID_CONFIG", message: expect.stringMatching(`^The strategy mine failed: ${said}`) };
    const thrown = (() => {
      try {
        return draft([strategy], 100);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toMatchObject(refusal);
  });

  it("passes a strategy's typed error on as it is", () => {
    const typed = new ThreadfoldError("HISTORY_NOT_LOADED", "It is in the store.");
    const { strategy } = rung([0], 1, {
      analyze: () => {
        throw typed;
      },
    });
    expect(() => draft([strategy], 100)).toThrow(typed);
  });

  it("stops once the estimate frees enough, and tells each strategy the tokens still needed", () => {
    const walk = (needed: number, fields: Partial<FoldAttempt> = {}) => {
      const rungs = [rung([0], 100), rung([1], 50), rung([2], 50)];
      const { proposals } = draft(
        rungs.map(({ strategy }) => strategy),
        needed,
        fields,
      );
      return { needed: rungs.flatMap(({ seen }) => seen.map((context) => context.needed)), made: proposals.length };
    };
    expect(walk(0)).toEqual({ needed: [], made: 0 });
    expect(walk(100)).toEqual({ needed: [100], made: 1 });
    expect(walk(101)).toEqual({ needed: [101, 1], made: 2 });
    expect(walk(151)).toEqual({ needed: [151, 51, 1], made: 3 });
    const all = Number.POSITIVE_INFINITY;
    expect(walk(0, { exhaustive: true })).toEqual({ needed: [all, all, all], made: 3 });
  });

  it("reports each accepted proposal, in order", () => {
    const rungs = [rung([0], 10), rung([1], 10)];
    const heard: CompactionProposal[] = [];
    draft(
      rungs.map(({ strategy }) => strategy),
      1_000,
      {},
      undefined,
      (proposal) => heard.push(proposal),
    );
    expect(heard).toEqual(rungs.map(({ proposal }) => proposal));
  });

  it("passes truncateTo and summaryMaxTokens to a strategy, truncateTo only if the attempt truncates", () => {
    const [cutting, whole] = [rung([0], 10), rung([0], 10)];
    draft([cutting.strategy], 1, { truncateTo: 80, summaryMaxTokens: 70 });
    draft([whole.strategy], 1);
    expect(cutting.seen[0]).toMatchObject({ truncateTo: 80, summaryMaxTokens: 70 });
    expect(whole.seen[0]).not.toHaveProperty("truncateTo");
  });

  it("skips a body that the artifact store refused, and asks the next strategy", () => {
    const later = rung([0], 10);
    const refusing = (refused: number) => ({
      ...{ replayVerdict: () => "unverifiable", mayStore: (ordinal: number) => ordinal !== refused },
    });
    const taken = (refused: number) =>
      draft(
        [externalizeStrategy, later.strategy],
        300,
        {},
        undefined,
        undefined,
        refusing(refused) as never,
      ).proposals.map(({ action, ordinals }) => [action, ordinals]);
    expect(taken(99)).toEqual([["externalize", [4]]]);
    expect(taken(4)).toEqual([["drop", [0]]]);
  });
});

describe("what the strategies of an attempt may fold", () => {
  const takes = (fields: Partial<FoldAttempt>) => {
    const [removes, empties] = [rung([0], 1), rung([0], 1, { keepsMessages: true })];
    draft([removes.strategy, empties.strategy], 1_000, fields);
    return { removes: groupsSeen(removes), empties: groupsSeen(empties) };
  };
  const old = [[0], [1], [2], [3, 4]];

  it("is whole old groups, without the newest request and unread results", () => {
    expect(takes({})).toEqual({ removes: old, empties: old });
  });

  it("includes the bodies beside unread results on the floor", () => {
    expect(takes({ newest: "message" })).toEqual({ removes: old, empties: [...old, [6]] });
    expect(takes({ newest: "nothing", unread: "ends" })).toEqual({ removes: old, empties: [...old, [6]] });
  });

  it("includes unread results only if the attempt gives them up", () => {
    const all = [...old, [6, 7, 8]];
    expect(takes({ newest: "nothing", unread: "nothing" })).toEqual({ removes: all, empties: all });
    // The newest group stays while a group may be kept, and of its messages the newest.
    expect(takes({ newest: "group", unread: "nothing" })).toEqual({ removes: old, empties: old });
    expect(takes({ newest: "message", unread: "nothing" })).toEqual({ removes: old, empties: [...old, [6, 7]] });
  });

  it("excludes the attempt's recent tokens at the end", () => {
    // The newest group takes 1,050 tokens, the request before it 50, and the call and its result before that 550.
    expect(takes({ recentTokens: 1_649 })).toMatchObject({ removes: old });
    expect(takes({ recentTokens: 1_650 })).toMatchObject({ removes: [[0], [1], [2]] });
  });
});

describe("unread results in an attempt", () => {
  const unread = (fields: Partial<FoldAttempt>) =>
    draft([], 0, fields).proposals.map(({ action, ordinals, strategy }) => [strategy, action, ordinals]);

  it("are shortened to their ends before any strategy is asked, if the attempt says so", () => {
    expect(unread({ unread: "ends" })).toEqual([
      ["unread-result", "externalize", [7]],
      ["unread-result", "externalize", [8]],
    ]);
    expect(unread({ unread: "whole" })).toEqual([]);
    expect(unread({ unread: "nothing" })).toEqual([]);
  });
});

describe("an attempt on top of a plan", () => {
  it("starts with the plan's records, or with none if it allows no summary", async () => {
    const plan = await foldedPlan(thread, {
      config: { maxInputTokens: 1_500, targetPercent: 0.1 },
      ports: { ladder: [dropStrategy] },
    });
    const dropped = plan.drops.flatMap(({ span }) => span.messageIds);
    expect(dropped).toContain("u1");
    const held = (fields: Partial<FoldAttempt>) =>
      draft([], 0, fields, plan).keptRecords.flatMap(({ span }) => span.messageIds);
    expect(new Set(held({}))).toEqual(new Set(dropped));
    expect(held({ summaryMaxTokens: 0 })).toEqual([]);
  });
});

describe("an attempt for a long thread", () => {
  const MESSAGES = 30_000;
  const long = scriptThread(Array.from({ length: MESSAGES / 3 }, (_, turn) => `u${turn} a${turn} t${turn}`).join(" "));

  /** The shape of that thread, and how often it was asked for something. */
  function countedShape() {
    const count = { asked: 0 };
    const counted = new Proxy(shapeOf(long), {
      get(target, name: keyof ThreadShape) {
        const value: unknown = target[name];
        if (typeof value !== "function") return value;
        return (...given: readonly unknown[]): unknown => {
          count.asked++;
          return value.apply(target, given);
        };
      },
    });
    return { count, counted };
  }

  it.each([
    ["summarize", summarizeStrategy, {}],
    ["drop", dropStrategy, {}],
    ["clear", clearStrategy, {}],
    ["externalize", externalizeStrategy, {}],
    ["truncate", truncateStrategy, { truncateTo: 10 }],
    ["a window", windowStrategy({ name: "window", cut: () => MESSAGES - 3, fold: "summarize" }), {}],
    ["a window of turns", turnWindow({ maxTurns: 1 }), {}],
    ["pruning", pruneStrategy({ protectTokens: 0, minimumTokens: 0 }), {}],
    ["beside the newest message", clearStrategy, { newest: "message" }],
  ] as const)("takes a few thousand messages in a step: %s", (_what, strategy, fields) => {
    const { count, counted } = countedShape();
    const attempt = { ...(usual as FoldAttempt), ...fields, ladder: [strategy] };
    const steps = draftAttempt(attempt, emptyPlan(long.id, "test"), counted, config, Number.POSITIVE_INFINITY);
    const counts: number[] = [];
    for (const _ of steps) counts.push(count.asked);
    expect(count.asked).toBeGreaterThan(MESSAGES);
    expect(Math.max(...counts.map((asked, step) => asked - (counts[step - 1] ?? 0)))).toBeLessThan(12_000);
  });
});
