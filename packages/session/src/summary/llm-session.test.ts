import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asThreadId, type CompletionModel, modelCallError, renderSummary, type Summarizer } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { importSession } from "@threadfold/importers";
import { fallbackSummarizer, LLMSummarizer } from "@threadfold/summarizers";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { tokenizer } from "../testing/agent-work.ts";

const data = process.env["THREADFOLD_DATA"] ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url));
const path = `${data}/pi/before-compaction.jsonl.gz`;
const QUICK = { minRetryDelayMs: 1, retries: 1 };

/** A model that notes the first message that each call shows it, and something that nobody said. */
const noting: CompletionModel = {
  id: "noting",
  complete: async ({ messages }) => {
    const [, number] = /^[0-9a-f]{8} m(\d+) /m.exec(messages[0]?.text ?? "") ?? [];
    const facts = [
      { text: `Read from message ${number} on.`, sources: [Number(number)] },
      { text: "The server is srv_9999.invented.example.", sources: [Number(number)] },
    ];
    return { text: `Notes:\n${JSON.stringify({ add: { facts } })}`, finish: "stop", toolCalls: 0 };
  },
};
const failing: CompletionModel = {
  id: "failing",
  complete: () => Promise.reject(modelCallError("overloaded", { kind: "unavailable", status: 529 })),
};

describe.skipIf(!existsSync(path))(
  "a recorded session with a model that summarizes (needs THREADFOLD_DATA or ../shared/data)",
  () => {
    const fold = async (summarizer: Summarizer) => {
      const { messages } = await importSession(readFileSync(path));
      const session = await ContextSession.open({
        threadId: asThreadId("pi"),
        clock: pinnedClock(0),
        summarizer,
        background: false,
        tokenizer,
        config: { maxInputTokens: 60_000 },
      });
      await session.append(messages);
      const prepared = await session.prepare();
      expect(prepared.violations).toEqual([]);
      expect(prepared.missingPins).toEqual([]);
      expect(prepared.tokens).toBeLessThanOrEqual(60_000);
      expect(session.thread.length).toBe(messages.length);
      const [record] = prepared.plan.summarizations;
      return { outcome: prepared.outcome, record, text: record === undefined ? "" : renderSummary(record.summary) };
    };

    it("S20: a span longer than the model's window is read in several calls", async () => {
      const { outcome, record, text } = await fold(new LLMSummarizer({ model: noting, ...QUICK }));
      expect(outcome).toMatchObject({ type: "committed" });
      expect(record?.summarizer).toContain("noting");
      expect(text.match(/Read from message \d+ on\./g)?.length).toBeGreaterThan(1);
      expect(text).not.toContain("srv_9999");
      expect(text).toContain("agent-session.ts");
      expect(text).toContain("## Original task (verbatim)\nalright, read @packages/coding-agent/src/main.ts");
    });

    it("P6: is folded without the model when it fails, and the outcome says so", async () => {
      const { outcome, record } = await fold(new LLMSummarizer({ model: failing, ...QUICK }));
      expect(outcome).toMatchObject({
        type: "summarizer-failed-floor-used",
        problem: expect.stringContaining("model-failed"),
      });
      expect(record?.summarizer).toBe("floor@2");
    });

    it("P6: gets a real summary from a fallback, and the outcome still reports that the model failed", async () => {
      const { outcome, record, text } = await fold(fallbackSummarizer(new LLMSummarizer({ model: failing, ...QUICK })));
      expect(outcome).toMatchObject({
        type: "summarizer-failed-floor-used",
        problem: expect.stringContaining("overloaded"),
      });
      expect(record?.summarizer).toBe("extractive-v25");
      expect(text).toContain("agent-session.ts");
    });
  },
);
