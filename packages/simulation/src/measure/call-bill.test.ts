import { describe, expect, it } from "vitest";
import { answerBills, callBills } from "./call-bill.ts";

const call = { tokens: 10_000, sharedTokens: 8_000, pause: 1_000, summaryRead: 0, summaryWrote: 0 };

describe("callBills", () => {
  it("bills the cached prefix at a tenth, and the rest at what writing costs", () => {
    const { a, b, c } = callBills(call);
    expect(a).toBeCloseTo(800 + 2_500, 6);
    expect(b).toBeCloseTo(800 + 2_000, 6);
    expect(c).toBe(10_000);
  });

  it("caches nothing under 1,024 tokens, and nothing over a pause of more than five minutes", () => {
    expect(callBills({ ...call, sharedTokens: 1_023 }).b).toBe(10_000);
    expect(callBills({ ...call, sharedTokens: 1_024 }).b).toBeLessThan(10_000);
    expect(callBills({ ...call, pause: 300_001 }).b).toBe(10_000);
    expect(callBills({ ...call, pause: 300_000 }).b).toBeLessThan(10_000);
  });

  it("bills an answer of recall as what is new to a prompt", () => {
    const { a, b, c } = callBills({ ...call, tokens: 9_000 });
    const answer = answerBills(1_000);
    expect({ a: a + answer.a, b: b + answer.b, c: c + answer.c }).toEqual(callBills(call));
  });

  it("adds what a summarizing model read, and five times what it wrote", () => {
    expect(callBills({ ...call, summaryRead: 1_000, summaryWrote: 100 }).c).toBe(11_500);
  });
});
