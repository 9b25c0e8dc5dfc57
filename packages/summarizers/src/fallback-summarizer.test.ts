import type { Summarizer } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { cachedSummarizer } from "./cache/cached-summarizer.ts";
import { ExtractiveSummarizer } from "./extractive/extractive-summarizer.ts";
import { fallbackSummarizer } from "./model-summarizer.ts";
import { Conversation, requestFor } from "./testing/conversation.ts";

const request = requestFor(new Conversation().user("Fix src/parser.ts. Never push to main.").agent("Fixed.").messages);
const broken: Summarizer = { id: "broken@1", summarize: () => Promise.reject(new Error("model is down")) };

describe("fallbackSummarizer", () => {
  it("P6: returns the second summarizer's summary when the first fails, and names the problem", async () => {
    const { changes, by, problem } = await fallbackSummarizer(broken).summarize(request);
    expect(changes).toEqual((await new ExtractiveSummarizer().summarize(request)).changes);
    expect({ by, problem }).toEqual({ by: "extractive-v25", problem: "broken@1: model is down" });
  });

  it("passes a good summary and an abort through unchanged", async () => {
    const good = await fallbackSummarizer(new ExtractiveSummarizer(), broken).summarize(request);
    expect(good).not.toHaveProperty("problem");
    const aborted = { ...request, signal: AbortSignal.abort() };
    await expect(fallbackSummarizer(new ExtractiveSummarizer()).summarize(aborted)).rejects.toMatchObject({
      code: "ABORTED",
    });
  });

  it("lets no cache keep its summary in place of the one that failed", async () => {
    const cached = cachedSummarizer(fallbackSummarizer(broken), { tenantId: null, policyVersion: "v1" });
    for (let round = 0; round < 2; round++)
      expect((await cached.summarize(request)).problem).toBe("broken@1: model is down");
    expect(cached.statistics).toEqual({ hits: 0, misses: 2, rejected: 0 });
  });
});
