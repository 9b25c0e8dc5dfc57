import { PROMPT_CACHE_PRICES, simulatePrefixCache } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { PatternScanner } from "../needs/pattern-scanner.ts";
import type { PromptPiece } from "../policy/prompt-policy.ts";
import { answerBills, callBills, providerBills } from "./call-bill.ts";
import { PieceIndex, PrefixUnits, PromptMeter } from "./prompt-meter.ts";

const MINUTE = 60_000;
const text = (index: number): PromptPiece => ({ role: "user", text: `${index}`.padEnd(8_000, "x") });

/** Prompts, one a minute unless `pauses` says otherwise, as provider caches see them. */
function requestsOf(prompts: readonly (readonly PromptPiece[])[], pauses: readonly number[] = []) {
  const meter = new PromptMeter(new PieceIndex(new PatternScanner([])), 0);
  const units = new PrefixUnits();
  let at = 0;
  return prompts.map((prompt, index) => {
    at += pauses[index] ?? MINUTE;
    return units.request(prompt, meter.take(prompt), at);
  });
}

const growing = [[text(0)], [text(0), text(1)], [text(0), text(1), text(2)]];

describe("providerBills", () => {
  it("gives the same bill for every price row as a simulation of that row alone", () => {
    const requests = requestsOf(growing);
    const bills = providerBills(requests);
    for (const price of PROMPT_CACHE_PRICES) {
      const alone = simulatePrefixCache(requests, { price }).reduce((sum, { bill }) => sum + bill, 0);
      expect(bills[price.id], price.id).toBeCloseTo(alone, 6);
    }
  });

  it("lets a prefix expire after the price row's own time to live", () => {
    const warm = providerBills(requestsOf(growing));
    const late = providerBills(requestsOf(growing, [MINUTE, MINUTE, 20 * MINUTE]));
    expect(late["anthropic"]).toBeGreaterThan(warm["anthropic"] as number);
    expect(late["anthropic-1h"]).toBe(warm["anthropic-1h"]);
  });

  it("bills a full write from the point where a prompt differs from the previous one", () => {
    const broken = providerBills(requestsOf([[text(0)], [text(0), text(1)], [text(0), text(3), text(4)]]));
    expect(broken["anthropic"]).toBeCloseTo(2_500 + 200 + 2_500 + 200 + 5_000, 6);
  });
});

const call = { tokens: 10_000, sharedTokens: 8_000, pause: 1_000, summaryRead: 0, summaryWrote: 0 };

describe("callBills", () => {
  it("bills the cached prefix at a tenth and the rest at the write price", () => {
    const { a, b, c } = callBills(call);
    expect(a).toBeCloseTo(800 + 2_500, 6);
    expect(b).toBeCloseTo(800 + 2_000, 6);
    expect(c).toBe(10_000);
  });

  it("caches nothing below 1,024 tokens or after a pause of more than five minutes", () => {
    expect(callBills({ ...call, sharedTokens: 1_023 }).b).toBe(10_000);
    expect(callBills({ ...call, sharedTokens: 1_024 }).b).toBeLessThan(10_000);
    expect(callBills({ ...call, pause: 300_001 }).b).toBe(10_000);
    expect(callBills({ ...call, pause: 300_000 }).b).toBeLessThan(10_000);
  });

  it("bills a recall answer like new prompt tokens", () => {
    const { a, b, c } = callBills({ ...call, tokens: 9_000 });
    const answer = answerBills(1_000);
    expect({ a: a + answer.a, b: b + answer.b, c: c + answer.c }).toEqual(callBills(call));
  });

  it("adds the summarizer's input tokens and five times its output tokens", () => {
    expect(callBills({ ...call, summaryRead: 1_000, summaryWrote: 100 }).c).toBe(11_500);
  });
});
