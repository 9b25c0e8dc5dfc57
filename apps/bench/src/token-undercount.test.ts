import { describe, expect, it } from "vitest";
import { sessionUndercounts, undercountOf } from "./token-undercount.ts";

const call = (counted: number, reported: number, outputTokens = 0, answered = 0) => ({
  ...{ model: "gpt-5", counted, reported, outputTokens, answered },
});

describe("undercountOf", () => {
  it("tells the first request apart from those after a report, each by its worst", () => {
    const found = undercountOf([call(1_000, 2_000), call(1_100, 2_200), call(1_200, 4_000)], "character-classes");
    expect(found).toMatchObject({ calls: 3, first: 0.5 });
    expect(found?.firstBeyondMargin).toBeCloseTo(1 - 1_300 / 2_000, 9);
    expect(found?.reported).toBeGreaterThan(0.3);
  });

  it("takes what nobody saw of an answer to come back, until a report says that it does not", () => {
    const back = [call(1_000, 1_080), call(1_100, 4_200, 3_000, 50), call(1_200, 7_300, 3_000, 50)];
    expect(undercountOf(back, "character-classes")?.reported).toBeGreaterThan(0.6);
    const told = back.map((each) => ({ ...each, outputTokens: 3_000, answered: 50 }));
    expect(undercountOf(told, "character-classes")?.reported).toBeLessThan(0.05);
  });

  it("says nothing of nothing", () => {
    expect(undercountOf([], "character-classes")).toBeNull();
  });
});

/** Recordings of which a call was sent more than they hold; the provider counts it and nobody else can. */
const HOLDS_LESS = [
  // 14,000 and 8,000 tokens are written to the cache in one call that appends 1,000 and 3,000.
  "agentcmd/full-session-four.jsonl",
  "agentcmd/full-session-two.jsonl",
  // The first report is 4,076 tokens, of a task that is 6,600 tokens long.
  "openai-chat/iso-bench-vllm-core-0007.json.gz",
];
const found = await sessionUndercounts();

describe.skipIf(found.length < 40)("recorded sessions that report usage (THREADFOLD_DATA)", () => {
  it("are never counted more than 5 % below the provider once a report is in", () => {
    const known = found.filter(({ session }) => !HOLDS_LESS.includes(session));
    expect(known.filter(({ reported }) => reported > 0.05)).toEqual([]);
  });

  it("are covered by the margin before, where the log holds system text and tools as they were sent", () => {
    const whole = found.filter(({ format }) => format === "mini-swe-agent" || format === "openhands");
    expect(whole.length).toBeGreaterThan(8);
    expect(whole.filter(({ firstBeyondMargin }) => firstBeyondMargin > 0)).toEqual([]);
  });
});
