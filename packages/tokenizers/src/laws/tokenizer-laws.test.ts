import { TokenLedger } from "@threadfold/core";
import { brokenLaws, keepLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { loadTokenizer, TOKENIZER_IDS } from "../load-tokenizer.ts";
import { tokenizerLaws } from "./tokenizer-laws.ts";

for (const id of TOKENIZER_IDS) {
  const times = id === "heuristic" || id === "character-classes" ? 300 : 12;
  keepLaws(id, tokenizerLaws(await loadTokenizer(id), { times }), { describe, it });
}

const heuristic = await loadTokenizer("heuristic");
const scaled = TokenLedger.empty(heuristic, () => "anchoring").scaled(0.57).tokenizer;
keepLaws("a scaled counter", tokenizerLaws(scaled), { describe, it });

describe("the laws of counters", () => {
  it("name the figure that is wrong", async () => {
    const halves = { ...heuristic, countTokens: (text: string) => text.length + 0.5 };
    const [whole] = await brokenLaws(tokenizerLaws(halves, { times: 20 }));
    expect(whole?.name).toBe("figures are whole and never negative");
    expect(whole?.problem).toMatch(/^countTokens\("[^]*"\) is \d+\.5\n/);
  });

  it("do not take what is no number for one that changes", async () => {
    const lost = { ...heuristic, countTokens: () => Number.NaN };
    const broken = await brokenLaws(tokenizerLaws(lost, { times: 20 }));
    expect(broken.map(({ name }) => name)).toEqual(["figures are whole and never negative"]);
  });

  it("are broken by a counter without a name", async () => {
    const broken = await brokenLaws(tokenizerLaws({ ...heuristic, id: "" }, { times: 5 }));
    expect(broken).toEqual([{ name: "it has a name", problem: expect.stringMatching(/^its id is empty\n/) }]);
  });
});
