import { describe, expect, it } from "vitest";
import { longScript, scriptedSession } from "../testing/scripted-log.ts";
import { scriptedSummarizer } from "./scripted-summarizer.ts";

const { messages } = scriptedSession(longScript(40));
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

describe("scriptedSummarizer", () => {
  it("gives the same text for the same messages, within its token limit", async () => {
    const { text } = scriptedSummarizer("extractive");
    const summary = await text(messages, 500);
    expect(await text(messages, 500)).toBe(summary);
    expect(summary).toContain("Bring every part to the new interface.");
    expect(summary.length / 4).toBeLessThanOrEqual(550);
  });

  it("lossy loses a fixed share of the words and invents none", async () => {
    const all = words(await scriptedSummarizer("extractive").text(messages, 2_000));
    const text = await scriptedSummarizer("lossy").text(messages, 2_000);
    expect(await scriptedSummarizer("lossy").text(messages, 2_000)).toBe(text);
    const some = words(text);
    expect(some.size).toBeLessThan(all.size * 0.8);
    expect(some.size).toBeGreaterThan(all.size * 0.2);
    for (const word of some) expect(all).toContain(word);
  });

  it("gives empty text for no messages", async () => {
    expect(await scriptedSummarizer("extractive").text([], 500)).toBe("");
  });
});
