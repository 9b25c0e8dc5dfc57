import type { Summarizer } from "@threadfold/core";
import {
  AgentThread,
  asThreadId,
  type CompactionPlan,
  emptyPlan,
  SUMMARY_SECTIONS,
  type SummaryItem,
} from "@threadfold/core";
import { countingTokenizer, message, runs } from "@threadfold/core/laws";
import { presetByName } from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { folded, runFold } from "../testing/run-fold.ts";

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

/** One fact a message, so that every fold adds facts and has to let old ones go. */
const factEach = {
  id: "fact-each@1",
  summarize: async ({ messages }: { readonly messages: readonly { readonly id: string }[] }) => ({
    changes: messages.map(({ id }) => ({
      op: "add" as const,
      section: "facts" as const,
      item: { text: `${id} said what nobody else said`, sources: [id as never] },
    })),
  }),
};

const itemsOf = (plan: CompactionPlan): readonly SummaryItem[] =>
  plan.summarizations.flatMap(({ summary }) =>
    SUMMARY_SECTIONS.flatMap((section): readonly SummaryItem[] => summary[section]),
  );

/** What the fold that made a plan took out of summaries. */
const goneIn = ({ summarizations, version }: CompactionPlan): readonly string[] =>
  summarizations
    .filter(({ sincePlanVersion }) => sincePlanVersion === version)
    .flatMap(({ resolved }) => resolved.map(({ item }) => item.id));

describe("what a fold took out of a summary", () => {
  it("is said once, by the plan of that fold, and never left unsaid", async () => {
    let gone = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("codex", "ladder", "spring-session-turns"),
        fc.array(fc.integer({ min: 4, max: 30 }), { minLength: 3, maxLength: 5 }),
        fc.integer({ min: 60, max: 400 }),
        async (name, growth, summaryMaxTokens) => {
          let thread = AgentThread.empty(asThreadId("t"));
          let plan = emptyPlan(thread.id, "test");
          const said: string[] = [];
          for (const [round, turns] of growth.entries()) {
            for (let turn = 0; turn < turns; turn++) {
              const id = `${round}.${turn}`;
              thread = thread.append([
                message(`u${id}`, "user", `Question ${id}?`),
                message(`a${id}`, "assistant", "Answer. ".repeat(20)),
              ]);
            }
            const fold = runFold(thread, {
              preset: presetByName(name),
              plan,
              config: { maxInputTokens: 2_000, targetPercent: 0.4, summaryMaxTokens },
              ports: { summarizer: factEach },
            });
            const result = await fold.result;
            if (result.type !== "ready" || result.floor) return;
            const kept = new Set(itemsOf(result.plan).map(({ id }) => id));
            const missing = itemsOf(plan).filter(({ id }) => !kept.has(id));
            const taken = goneIn(result.plan);
            expect(taken).toEqual(expect.arrayContaining(missing.map(({ id }) => id)));
            said.push(...taken);
            plan = result.plan;
          }
          gone += said.length;
          expect(new Set(said).size).toBe(said.length);
        },
      ),
      runs(60),
    );
    expect(gone).toBeGreaterThan(100);
  });
});
