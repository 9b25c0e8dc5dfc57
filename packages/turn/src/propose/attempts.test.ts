import { contextCompactionConfigSchema } from "@threadfold/core";
import { clearStrategy, dropStrategy, externalizeStrategy, summarizeStrategy } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { type FoldAttempt, foldAttempts, withShorterSummaries } from "./attempts.ts";

const config = contextCompactionConfigSchema.parse({ maxInputTokens: 100_000 });
const LADDER = [clearStrategy, externalizeStrategy, summarizeStrategy, dropStrategy];
const NOTHING_UNREAD = { exist: false, mayStayWhole: true };

/** Each attempt in a line: its rungs, the tail and the summary at most and least in tokens, and what it leaves of unread results. */
const lines = (unread = NOTHING_UNREAD, given: Partial<typeof config> = {}) =>
  foldAttempts(LADDER, { ...config, ...given }, 50_000, unread).map(
    ({ name, ladder, recentTokens, summaryMaxTokens, summaryLeastTokens, unread: left }) =>
      `${name}: ${ladder.map((strategy) => strategy.name).join(" ")}; ${recentTokens}, ${summaryMaxTokens}–${summaryLeastTokens}, ${left}`,
  );

const OF_THE_LADDER = [
  "ladder: clear externalize summarize drop; 30000, 6000–6000, whole",
  "ladder, third of the tail: clear externalize summarize drop; 10000, 6000–3000, whole",
  "ladder, newest group only: clear externalize summarize drop; 0, 6000–1500, whole",
];
const BARE = [
  "floor, summary and newest user message: summarize; 0, 300–300, nothing",
  "floor, newest user message alone: drop; 0, 0–0, nothing",
];

describe("the attempts of a fold", () => {
  it("fold more each time, down to the newest user message alone", () => {
    expect(lines()).toEqual([
      ...OF_THE_LADDER,
      "floor, truncated before the newest message: externalize clear summarize truncate; 0, 6000–1500, whole",
      "floor, truncated: externalize clear summarize truncate; 0, 6000–1500, ends",
      ...BARE,
    ]);
  });

  it("keep the ends of unread results before they show only a pointer", () => {
    expect(lines({ exist: true, mayStayWhole: true }).slice(-4)).toEqual([
      "floor, summary and unread results: summarize truncate; 0, 300–300, ends",
      "floor, unread results alone: drop truncate; 0, 0–0, ends",
      ...BARE,
    ]);
  });

  it("never leave unread results whole if these alone exceed the room", () => {
    const all = lines({ exist: true, mayStayWhole: false });
    expect(all.filter((line) => line.includes("before the newest message") || line.endsWith("whole"))).toEqual([]);
    expect(all.slice(0, 3)).toEqual(OF_THE_LADDER.map((line) => line.replace("whole", "ends")));
  });

  it("skip strategies that are switched off, also externalization on the floor", () => {
    const off = { enableClearing: false, enableExternalization: false, enableDropping: false };
    const [ladder, ...rest] = lines(NOTHING_UNREAD, off);
    expect(ladder).toBe("ladder: summarize; 30000, 6000–6000, whole");
    expect(rest.filter((line) => line.includes("externalize"))).toEqual([]);
    expect(rest.slice(-2)).toEqual(BARE);
  });
});

describe("an attempt whose draft frees too little", () => {
  const attempt = foldAttempts(LADDER, config, 50_000, NOTHING_UNREAD)[2] as FoldAttempt;
  const tokens = (summaries: number, missing: number) =>
    withShorterSummaries(attempt, summaries, missing).summaryMaxTokens;

  it("shortens its summaries by what is missing, and never below their least", () => {
    expect([tokens(1, 0), tokens(1, -500), tokens(0, 900)]).toEqual([6_000, 6_000, 6_000]);
    expect([tokens(1, 900), tokens(2, 900), tokens(1, 90_000)]).toEqual([5_100, 5_550, 1_500]);
    expect(tokens(1, Number.POSITIVE_INFINITY)).toBe(1_500);
  });
});
