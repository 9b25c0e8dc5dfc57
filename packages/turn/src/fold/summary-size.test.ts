import type { Summarizer } from "@threadfold/core";
import { scriptThread } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";

const thread = scriptThread(`u1 ${Array.from({ length: 40 }, (_, at) => `a${at} t${at}`).join(" ")}`, 500);

/** The limits that summarizers were given in a fold, in tokens. */
async function limitsOf(config: Parameters<typeof folded>[1]): Promise<readonly number[]> {
  const limits: number[] = [];
  const summarizer: Summarizer = {
    id: "listening@1",
    summarize: async ({ maxTokens, messages }) => {
      limits.push(maxTokens);
      const sources = messages.slice(0, 1).map(({ id }) => id);
      return { changes: [{ op: "add", section: "facts", item: { text: "It went well.", sources } }] };
    },
  };
  await folded(thread, { ...config, ports: { summarizer } });
  return limits;
}

describe("the size of a summary", () => {
  it.each([0.1, 0.3])("is at most summaryMaxPercent of the room: %d", async (summaryMaxPercent) => {
    const config = { maxInputTokens: 20_000, safetyBufferTokens: 0, summaryMaxPercent };
    const [first] = await limitsOf({ config });
    expect(first).toBe(20_000 * summaryMaxPercent);
  });

  it("is at most summaryMaxTokens in a large room", async () => {
    const [first] = await limitsOf({ config: { maxInputTokens: 20_000, summaryMaxTokens: 900 } });
    expect(first).toBe(900);
  });
});
