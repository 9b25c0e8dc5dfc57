import {
  asPinId,
  compactionConfig,
  emptyPlan,
  type LegalityViolation,
  NO_RECORDS,
  type PlanVerification,
  tokenBudget,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import { threadfoldPreset } from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldAttempts } from "../propose/attempts.ts";
import { breaksMore, type Candidate, Candidates, type Choice } from "./candidates.ts";

const room = tokenBudget(
  compactionConfig({
    maxInputTokens: 1_000,
    safetyBufferTokens: 100,
    rehydrationReserveTokens: 0,
    softThresholdPercent: 0.8,
  }),
);
const attempts = foldAttempts(threadfoldPreset.ladder, compactionConfig(), 500, { exist: true, mayStayWhole: true });
const [ladder, bare] = [attempts[0], attempts.at(-1)].map((attempt) => attempt as Candidate["attempt"]) as [
  Candidate["attempt"],
  Candidate["attempt"],
];
const violation = (rule: string) => ({ rule, problem: "broken", path: "" }) as unknown as LegalityViolation;
const breakdown = { system: 3, tools: 5, pins: 7, summaries: 11, pointers: 13, kept: 17, rehydrated: 19, overhead: 23 };

function verified(tokens: number, fields: Partial<PlanVerification> = {}): PlanVerification {
  return { tokens, breakdown, violations: [], missingPins: [], ...fields };
}

const candidate = (
  tokens: number,
  fields: Partial<Omit<Candidate, "verification">> & Partial<PlanVerification> = {},
): Candidate => {
  const { violations = [], missingPins = [], ...rest } = fields;
  return {
    ...{
      plan: emptyPlan(scriptThread("u1").id, `of ${tokens}`),
      attempt: ladder,
      changes: [],
      summarizerProblem: null,
    },
    ...{ instructionsUsed: false, unread: { records: NO_RECORDS, restTokens: tokens, enough: true } },
    ...rest,
    verification: verified(tokens, { violations, missingPins }),
  };
};
const showingLittle = { unread: { records: NO_RECORDS, restTokens: 0, enough: false } };

function candidatesOf(made: readonly Candidate[], by: Partial<Choice> = {}): Candidates {
  const choice = {
    before: 950,
    room,
    hard: false,
    instructed: false,
    systemTokensInside: 0,
    verifyCurrent: () => verified(950),
    ...by,
  };
  const candidates = new Candidates(choice);
  for (const each of made) candidates.add(each);
  return candidates;
}
const chosenOf = (...input: Parameters<typeof candidatesOf>) => candidatesOf(...input).choose();
const tokensOf = (...input: Parameters<typeof chosenOf>) => {
  const result = chosenOf(...input);
  return result.type === "ready" ? result.tokens.after : result.type;
};

describe("choosing among a fold's candidate plans", () => {
  it("takes the first one below the soft threshold, or else the first within the limit", () => {
    expect([room.limitTokens, room.softLimit, room.leastReclaim]).toEqual([900, 800, 100]);
    expect(tokensOf([candidate(850), candidate(700), candidate(600)])).toBe(700);
    expect(tokensOf([candidate(850), candidate(800)])).toBe(800);
    expect(tokensOf([candidate(901), candidate(900), candidate(801)])).toBe(900);
    expect(tokensOf([candidate(901)], { before: 1_000 })).toBe("infeasible");
  });

  it("prefers one that shows enough of the unread results to a smaller one", () => {
    expect(tokensOf([candidate(500, showingLittle), candidate(850)])).toBe(850);
    expect(tokensOf([candidate(850, showingLittle), candidate(500, showingLittle)])).toBe(500);
    expect(tokensOf([candidate(500, showingLittle), candidate(901)])).toBe(500);
  });

  it("refuses one that hides a pin or breaks a rule that the current request keeps", () => {
    const missingPins = [asPinId("p1")];
    expect(chosenOf([candidate(500, { missingPins })])).toEqual({
      ...{ type: "refused", violations: [], missingPins, tokens: { before: 950, after: 950 } },
    });
    const violations = [violation("pairs")];
    expect(chosenOf([candidate(500, { violations })])).toMatchObject({ type: "refused", violations });
    expect(tokensOf([candidate(500, { violations })], { verifyCurrent: () => verified(950, { violations }) })).toBe(
      500,
    );
    expect(tokensOf([candidate(500, { violations }), candidate(700)])).toBe(700);
    // What is too large as well is not refused for its rules: nothing else would be any help.
    expect(tokensOf([candidate(901, { violations })])).toBe("infeasible");
    expect(tokensOf([candidate(900, { violations })])).toBe("refused");
  });

  it("takes one that frees too little only if the fold is hard or the request exceeds the limit", () => {
    const freeing = (freed: number, by: Partial<Choice> = {}) =>
      tokensOf([candidate(880 - freed)], { before: 880, ...by });
    expect([freeing(100), freeing(99)]).toEqual([780, "ineffective"]);
    expect(chosenOf([candidate(850)], { before: 880 })).toMatchObject({
      freed: 30,
      required: 100,
      tokens: { after: 880 },
    });
    expect([freeing(99, { hard: true }), freeing(1, { hard: true })]).toEqual([781, 879]);
    expect([freeing(0, { hard: true }), freeing(-1, { hard: true })]).toEqual(["inflated", "inflated"]);
    expect(tokensOf([candidate(899)], { before: 901 })).toBe(899);
    expect(tokensOf([candidate(899)], { before: 900 })).toBe("ineffective");
    // Larger than the limit, and so is what there is without it.
    expect(tokensOf([candidate(950)], { before: 900 })).toBe("inflated");
  });

  it("does not make one of messages that together take too little, where it would not be taken", () => {
    const isTried = (most: number, by: Partial<Choice> = {}) =>
      candidatesOf([], { before: 880, ...by }).mayServe(() => most);
    expect([isTried(100), isTried(99)]).toEqual([true, false]);
    expect([isTried(99, { hard: true }), isTried(99, { before: 901 })]).toEqual([true, true]);
    const [deep, low] = [900, 880].map((before) => candidatesOf([], { before }));
    expect([deep, low].map((each) => [each?.mayServe(() => 90), each?.isDecided])).toEqual([
      [false, false],
      [false, true],
    ]);
    const candidates = candidatesOf([], { before: 880 });
    for (const most of [30, 70, 50]) candidates.mayServe(() => most);
    expect(candidates.choose()).toMatchObject({ type: "ineffective", freed: 70, required: 100 });
  });

  it("is a no-op without candidates below the soft threshold or for a hard fold", () => {
    const none = (before: number, hard = false) => chosenOf([], { before, hard }).type;
    expect([none(800), none(801), none(801, true), none(900)]).toEqual([
      "no-op",
      "ineffective",
      "no-op",
      "ineffective",
    ]);
    expect(chosenOf([], { before: 850 })).toMatchObject({
      freed: 0,
      required: 100,
      tokens: { before: 850, after: 850 },
    });
    expect(none(901)).toBe("infeasible");
  });

  it("reports as required the smallest candidate, or the request itself without candidates", () => {
    const indispensable = { system: 3, tools: 5, pins: 7, overhead: 23 };
    expect(chosenOf([candidate(990), candidate(905)], { before: 1_000 })).toEqual({
      ...{ type: "infeasible", budget: 900, required: 905, tokens: { before: 1_000, after: 1_000 } },
      indispensable: { ...indispensable, newest: 905 - 38 },
    });
    expect(chosenOf([], { before: 950 })).toMatchObject({
      required: 950,
      indispensable: { ...indispensable, newest: 912 },
    });
    expect(chosenOf([], { before: 950, systemTokensInside: 900 })).toMatchObject({
      indispensable: { ...indispensable, system: 903, newest: 12 },
    });
    expect(chosenOf([], { before: 950, systemTokensInside: 2_000 })).toMatchObject({
      indispensable: { ...indispensable, system: 915, newest: 0 },
    });
  });

  it("reports all attempts, and whether the instructions were used", () => {
    const made = [
      candidate(850, { violations: [violation("pairs"), violation("order")], missingPins: [asPinId("p1")] }),
      candidate(400, { attempt: bare, instructionsUsed: true, summarizerProblem: "no answer" }),
    ];
    expect(chosenOf(made, { instructed: true })).toEqual({
      ...{ type: "ready", plan: made[1]?.plan, tokens: { before: 950, after: 400 }, attempt: bare.name, floor: true },
      ...{ summarizerProblem: "no answer", instructions: "used", changes: [] },
      attempts: [
        { attempt: ladder.name, tokens: 850, violations: 2, missingPins: 1 },
        { attempt: bare.name, tokens: 400, violations: 0, missingPins: 0 },
      ],
    });
    expect(chosenOf([candidate(400)], { instructed: true })).toMatchObject({ instructions: "no-effect", floor: false });
    expect(chosenOf([candidate(400, { instructionsUsed: true })])).toMatchObject({ instructions: null });
  });

  it("skips a deeper attempt if one fits, unless that attempt shows more unread results", () => {
    const serves = (made: Candidate, attempt = ladder) => candidatesOf([made]).serve(attempt);
    expect([ladder.unread, bare.unread]).toEqual(["whole", "nothing"]);
    expect([serves(candidate(900)), serves(candidate(901))]).toEqual([true, false]);
    expect([serves(candidate(500, showingLittle)), serves(candidate(500, showingLittle), bare)]).toEqual([false, true]);
    expect(serves(candidate(500, { missingPins: [asPinId("p1")] }))).toBe(false);
  });
});

describe("breaksMore", () => {
  const rules = fc.array(fc.constantFrom("order", "pairs", "roles"), { maxLength: 4 });

  it("is true exactly if the plan breaks some rule more often than the current request", () => {
    fc.assert(
      fc.property(rules, rules, (then, now) => {
        const count = (list: readonly string[], rule: string) => list.filter((each) => each === rule).length;
        const breaks = breaksMore(verified(1, { violations: then.map(violation) }), () =>
          verified(1, { violations: now.map(violation) }),
        );
        expect(breaks).toBe(["order", "pairs", "roles"].some((rule) => count(then, rule) > count(now, rule)));
      }),
      runs(200),
    );
  });
});

describe("the attempts of a fold", () => {
  const config = compactionConfig({ maxInputTokens: 10_000, preserveRecentPercent: 0.6, summaryMaxPercent: 0.2 });
  const made = (unread = { exist: false, mayStayWhole: true }, fields: Partial<typeof config> = {}, free = 3_000) =>
    foldAttempts(threadfoldPreset.ladder, { ...config, ...fields }, free, unread);

  it("keep less recent history and allow shorter summaries each time, down to the newest user message", () => {
    expect(
      made().map(({ recentTokens, summaryLeastTokens, newest, floor, exhaustive }) => [
        recentTokens,
        summaryLeastTokens,
        newest,
        floor,
        exhaustive,
      ]),
    ).toEqual([
      [1_800, 2_000, "group", false, false],
      [600, 1_000, "group", false, false],
      [0, 500, "group", false, false],
      [0, 500, "message", true, false],
      [0, 500, "nothing", true, false],
      [0, 300, "nothing", true, true],
      [0, 0, "nothing", true, true],
    ]);
    const limited = made(undefined, { summaryMaxTokens: 800 });
    expect(limited.map(({ summaryLeastTokens: least }) => least)).toEqual([800, 400, 200, 200, 200, 200, 0]);
    expect(limited.map(({ summaryMaxTokens: most }) => most)).toEqual([800, 800, 800, 800, 800, 200, 0]);
    expect(made(undefined, {}, -5)[0]?.recentTokens).toBe(0);
  });

  it("keep unread results whole while they fit, then their ends, and give them up last", () => {
    const unread = (mayStayWhole: boolean) => made({ exist: true, mayStayWhole }).map((attempt) => attempt.unread);
    expect(unread(true)).toEqual([
      ...["whole", "whole", "whole", "whole", "ends", "ends", "ends"],
      ...["nothing", "nothing"],
    ]);
    expect(unread(false)).toEqual([...["ends", "ends", "ends", "ends", "ends", "ends"], ...["nothing", "nothing"]]);
  });

  it("skip the strategies that are switched off; the floor skips only externalization", () => {
    const rungs = (fields: Partial<typeof config>) =>
      made(undefined, fields).map(({ ladder: own }) => own.map(({ name }) => name));
    const all = rungs({});
    const switches = {
      externalize: "enableExternalization",
      summarize: "enableSummarization",
      clear: "enableClearing",
      drop: "enableDropping",
    } as const;
    for (const [name, option] of Object.entries(switches)) {
      const left = rungs({ [option]: false });
      expect(left[0]).toEqual(all[0]?.filter((rung) => rung !== name));
      expect(left[3]?.includes(name)).toBe(name === "externalize" ? false : all[3]?.includes(name));
    }
  });
});
