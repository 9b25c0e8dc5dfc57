import {
  type AgentThread,
  actionOf,
  artifactIdOf,
  type CompactionPlan,
  compactionConfig,
  emptyPlan,
  groupMessages,
  type PlanVerifier,
  planRecords,
  renderSummary,
  type Summarizer,
  TokenLedger,
  threadShape,
  viewThread,
} from "@threadfold/core";
import { agentThreads, countingTokenizer, pinnedClock, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldThread } from "../compactor/fold-thread.ts";
import { newestUserOrdinal } from "../compactor/foldable-groups.ts";
import { durabilityPolicy } from "../durability/durability-policy.ts";
import type { CompactionPreset } from "./compaction-preset.ts";
import { PRESETS, presetByName } from "./preset-by-name.ts";

const tokenizer = countingTokenizer();
const factSummarizer: Summarizer = {
  id: "facts@1",
  summarize: async ({ span }) => ({
    changes: [{ op: "add", section: "facts", item: { text: "folded", sources: span.messageIds.slice(0, 1) } }],
  }),
};

function viewVerifier(thread: AgentThread): PlanVerifier {
  const measure = (plan: CompactionPlan): number =>
    viewThread(thread, plan).reduce((sum, entry) => {
      if (entry.type === "message") return sum + tokenizer.countMessage(entry.message);
      return sum + (entry.type === "summary" ? tokenizer.countTokens(renderSummary(entry.record.summary)) + 15 : 40);
    }, 0);
  const breakdown = { system: 0, tools: 0, pins: 0, summaries: 0, pointers: 0, kept: 0, rehydrated: 0, overhead: 0 };
  return { measure, verify: (plan) => ({ tokens: measure(plan), breakdown, violations: [], missingPins: [] }) };
}

function fold(preset: CompactionPreset, thread: AgentThread, maxInputTokens: number) {
  const config = compactionConfig({ ...preset.config, maxInputTokens });
  const ledger = TokenLedger.empty(tokenizer, durabilityPolicy(config)).extend(thread);
  const grouped = groupMessages(ledger.headers);
  const contents = new Map<string, string>();
  const result = foldThread(
    { thread, ledger, grouped, plan: emptyPlan(thread.id, "test"), config, overheadTokens: 0, hard: true },
    {
      ladder: preset.ladder,
      summarizer: factSummarizer,
      artifacts: {
        store: async (content, metadata) => {
          const id = artifactIdOf(metadata.threadId, metadata.tenantId, content);
          contents.set(id, content);
          return id;
        },
        getMetadata: async () => null,
        retrieve: async () => null,
        list: async () => [],
      },
      verifier: viewVerifier(thread),
      clock: pinnedClock(0),
    },
  );
  return { result, shape: threadShape(thread, ledger, grouped) };
}

describe.each(PRESETS.map((preset) => [preset.name, preset] as const))("preset %s", (_name, preset) => {
  it("fits any budget or says what takes the room, and keeps the newest user message", async () => {
    await fc.assert(
      fc.asyncProperty(
        agentThreads({ malformed: true }),
        fc.integer({ min: 60, max: 3_000 }),
        async (thread, maxInputTokens) => {
          const { result, shape } = fold(preset, thread, maxInputTokens);
          const outcome = await result;
          if (outcome.type !== "ready") {
            expect(["no-op", "infeasible", "inflated"]).toContain(outcome.type);
            return;
          }
          expect(outcome.tokens.after).toBeLessThanOrEqual(maxInputTokens);
          expect(planRecords(outcome.plan).length).toBeGreaterThan(0);
          const newest = newestUserOrdinal(shape);
          if (newest >= 0) expect(actionOf(outcome.plan, shape.header(newest).id).action).toBe("include");
        },
      ),
      runs(60),
    );
  });

  it("has a trigger that is silent on an empty thread and fires above the cap", () => {
    const config = compactionConfig(preset.config);
    const trigger = preset.trigger(config);
    const empty = { tokens: 0, maxInputTokens: config.maxInputTokens, turns: 0, steps: 0, messages: 0 };
    expect(trigger.evaluate(empty).level).toBe("none");
    expect(trigger.evaluate({ ...empty, tokens: config.maxInputTokens + 1 }).level).not.toBe("none");
  });
});

describe("presets", () => {
  it("seed 003: fires at 93 600 tokens of a window of 128 000", () => {
    const preset = presetByName("ai-sdk");
    const trigger = preset.trigger(compactionConfig({ ...preset.config, maxInputTokens: 128_000 }));
    const at = (tokens: number) =>
      trigger.evaluate({ tokens, maxInputTokens: 128_000, turns: 1, steps: 1, messages: 1 }).level;
    expect(at(93_599)).toBe("none");
    expect(at(93_600)).toBe("soft");
  });

  it("seed 001: pi fires 16 384 tokens below the window", () => {
    const preset = presetByName("pi");
    const trigger = preset.trigger(compactionConfig({ ...preset.config, maxInputTokens: 200_000 }));
    const at = (tokens: number) =>
      trigger.evaluate({ tokens, maxInputTokens: 200_000, turns: 1, steps: 1, messages: 1 }).level;
    expect(at(200_000 - 16_384 - 1)).toBe("none");
    expect(at(200_000 - 16_384)).toBe("soft");
  });

  it("refuses a name that is none and lists those that are", () => {
    expect(() => presetByName("nope")).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", hint: expect.stringContaining("threadfold") }),
    );
  });
});
