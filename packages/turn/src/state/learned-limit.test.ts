import { describe, expect, it } from "vitest";
import {
  afterAcceptance,
  afterRefusal,
  FIRST_TRUST,
  type LearnedLimit,
  limitAfterOverflow,
  NO_LIMIT,
} from "./learned-limit.ts";

const accepted = (limit: LearnedLimit, answers: number, tokens = 10): LearnedLimit => {
  let next = limit;
  for (let answer = 0; answer < answers; answer++) next = afterAcceptance(next, tokens);
  return next;
};

describe("the limit learned from refusals (S28)", () => {
  it("is the lowest refused size", () => {
    const first = afterRefusal(NO_LIMIT, 8_000);
    expect(first.tokens).toBe(8_000);
    expect(afterRefusal(first, 9_000).tokens).toBe(8_000);
    expect(afterRefusal(first, 7_000).tokens).toBe(7_000);
  });

  it("is forgotten, with its trust, once a larger request is accepted", () => {
    const limit = accepted(afterRefusal(NO_LIMIT, 4_096), 3, 4_096);
    expect(limit.tokens).toBe(4_096);
    expect(afterAcceptance(limit, 4_097)).toEqual(NO_LIMIT);
  });

  it("is lifted after a number of answers, and trusted twice as long after each new refusal", () => {
    let limit = afterRefusal(NO_LIMIT, 8_000);
    for (const trust of [FIRST_TRUST, 2 * FIRST_TRUST, 4 * FIRST_TRUST]) {
      expect(accepted(limit, trust - 1).tokens).toBe(8_000);
      limit = accepted(limit, trust);
      expect(limit.tokens).toBe(Number.POSITIVE_INFINITY);
      limit = afterRefusal(accepted(limit, 5, 8_000), 8_000);
      expect(limit.tokens).toBe(8_000);
    }
  });

  it("costs only 5 refusals in 1,000 calls when it is right", () => {
    let limit = NO_LIMIT;
    let refusals = 0;
    for (let call = 0; call < 1_000; call++) {
      const tokens = Math.min(limit.tokens, 9_000);
      if (tokens > 8_000) {
        refusals++;
        limit = afterRefusal(limit, 8_000);
      } else limit = afterAcceptance(limit, tokens);
    }
    expect(refusals).toBe(5);
  });

  it("does not exist before the first refusal, whatever is accepted", () => {
    expect(accepted(NO_LIMIT, 1_000, 1_000_000)).toEqual(NO_LIMIT);
  });

  it("S28 combines with the configured limit: after an overflow the stricter one holds", () => {
    expect(limitAfterOverflow(100_000, 90_000)).toBe(89_999);
    expect(limitAfterOverflow(80_000, 90_000)).toBe(80_000);
    expect(limitAfterOverflow(100_000, 90_000, { inputTokens: 90_000, limitTokens: 80_000 })).toBe(80_000);
    expect(limitAfterOverflow(100_000, 90_000, { inputTokens: 210_000, limitTokens: 200_000 })).toBe(85_714);
    expect(limitAfterOverflow(100_000, 90_000, { inputTokens: 10, limitTokens: 200_000 })).toBe(89_999);
    expect(limitAfterOverflow(100_000, 0)).toBe(1);
  });
});
