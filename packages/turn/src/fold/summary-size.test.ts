import type { Summarizer } from "@threadfold/core";
import { countingTokenizer } from "@threadfold/core/laws";
import { scriptThread } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";

const thread = scriptThread(`u1 ${Array.from({ length: 40 }, (_, at) => `a${at} t${at}`).join(" ")}`, 500);

/** The limits that summarizers were given in a fold, in tokens. */
async function limitsOf(config: Parameters<typeof folded>[1], of = thread): Promise<readonly number[]> {
  const limits: number[] = [];
  const summarizer: Summarizer = {
    id: "listening@1",
    summarize: async ({ maxTokens, messages }) => {
      limits.push(maxTokens);
      const sources = messages.slice(0, 1).map(({ id }) => id);
      return { changes: [{ op: "add", section: "facts", item: { text: "It went well.", sources } }] };
    },
  };
  await folded(of, { ...config, ports: { summarizer } });
  return limits;
}

describe("the size of a summary", () => {
  it.each([0.05, 0.1, 0.2])(
    "spec-120 is at most twice summarizeTargetRatio of the span that it stands for: %d",
    async (ratio) => {
      const sizes: number[] = [];
      const summarizer: Summarizer = {
        id: "talkative@1",
        summarize: async ({ maxTokens, messages }) => {
          const tokens = messages.reduce((sum, message) => sum + countingTokenizer().countMessage(message), 0);
          sizes.push(maxTokens / tokens);
          const facts = Array.from({ length: 400 }, (_, at) => ({
            op: "add" as const,
            section: "facts" as const,
            item: {
              text: `Fact ${at}: ${"it went well, ".repeat(8)}`,
              sources: messages.slice(0, 1).map(({ id }) => id),
            },
          }));
          return { changes: facts };
        },
      };
      const config = {
        maxInputTokens: 20_000,
        summarizeTargetRatio: ratio,
        summaryMaxPercent: 1,
        summaryMaxTokens: 20_000,
      };
      const { plan } = await folded(thread, { config, ports: { summarizer } });
      expect(sizes[0]).toBeCloseTo(2 * ratio, 2);
      for (const { summaryTokens, originalTokens } of plan.summarizations)
        expect(summaryTokens / originalTokens).toBeLessThanOrEqual(2 * ratio + 0.01);
    },
  );

  it("is not less than a summary needs to say something, however short the span", async () => {
    const short = scriptThread("u1 a1 t1 a2 t2 u2", 120);
    const [first] = await limitsOf(
      { config: { maxInputTokens: 700, targetPercent: 0.5, summaryMaxPercent: 1, summarizeTargetRatio: 0.1 } },
      short,
    );
    expect(first).toBe(200);
  });

  it.each([0.1, 0.3])("is at most summaryMaxPercent of the room: %d", async (summaryMaxPercent) => {
    const config = { maxInputTokens: 20_000, summaryMaxPercent, summarizeTargetRatio: 1 };
    const [first] = await limitsOf({ config });
    expect(first).toBe(20_000 * summaryMaxPercent);
  });

  it("is at most summaryMaxTokens in a large room", async () => {
    const [first] = await limitsOf({
      config: { maxInputTokens: 20_000, summaryMaxTokens: 900, summarizeTargetRatio: 1 },
    });
    expect(first).toBe(900);
  });
});
