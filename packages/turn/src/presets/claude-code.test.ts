import { claudeCodePreset } from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/turn-case.ts";

describe("seed 001, Claude Code", () => {
  it("claude-code-1 fires at 95 % of the window", () => {
    expect(triggerLevel(claudeCodePreset, 200_000, { tokens: 189_999 })).toBe("none");
    expect(triggerLevel(claudeCodePreset, 200_000, { tokens: 190_000 })).toBe("soft");
  });

  it("claude-code-5 takes the entire history and starts over with the summary; the message to answer stays (design section 7)", async () => {
    const thread = scriptThread("u1 a1 t1 a1 u2 a2 u3", 30_000);
    const { plan } = await folded(thread, { preset: claudeCodePreset, config: { maxInputTokens: 200_000 } });
    expect(shownIn(thread, plan)).toEqual(["[summary]", "u3"]);
    expect(claudeCodePreset.config.summaryRole).toBe("user");
  });

  it("claude-code-2 /compact folds on request, however short the thread, and passes the instructions on", async () => {
    expect(triggerLevel(claudeCodePreset, 200_000, { tokens: 900, requested: true })).toBe("hard");
    const heard: (string | undefined)[] = [];
    const thread = scriptThread("u1 a1 u2 a2 u3", 500);
    const { plan } = await folded(thread, {
      preset: claudeCodePreset,
      input: { instructions: "summarize only the TODOs" },
      ports: {
        summarizer: {
          id: "llm@1",
          summarize: async ({ instructions, span }) => {
            heard.push(instructions);
            const item = { text: "todo", sources: span.messageIds.slice(0, 1) };
            return { changes: [{ op: "add", section: "facts", item }] };
          },
        },
      },
    });
    expect(shownIn(thread, plan)).toEqual(["[summary]", "u3"]);
    expect(heard).toEqual(["summarize only the TODOs"]);
  });
});
