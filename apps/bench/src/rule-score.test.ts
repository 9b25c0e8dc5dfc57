import { describe, expect, it } from "vitest";
import { readSentences, scoreOf } from "./rule-score.ts";

describe("the detector of rules on labelled sentences", () => {
  it.each(["tuning", "held-out"] as const)("finds four of five rules with nine of ten right in the half %s", (half) => {
    const sentences = readSentences(half);
    const { precision, recall, retractions } = scoreOf(sentences);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(recall).toBeGreaterThanOrEqual(0.8);
    expect(retractions).toBeGreaterThanOrEqual(0.8);
  });

  it("has every language and every label in both halves, and no sentence in both", () => {
    const [tuning, heldOut] = [readSentences("tuning"), readSentences("held-out")];
    for (const half of [tuning, heldOut]) {
      expect([...new Set(half.map(({ language }) => language))].sort()).toEqual([
        "de",
        "en",
        "es",
        "fr",
        "ja",
        "pt",
        "ru",
        "zh",
      ]);
      expect([...new Set(half.map(({ label }) => label))].sort()).toEqual(["candidate", "not", "retraction", "rule"]);
    }
    const texts = [...tuning, ...heldOut].map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.length).toBeGreaterThanOrEqual(200);
  });
});
