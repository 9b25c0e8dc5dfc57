import {
  AgentThread,
  asThreadId,
  type CompactionPlan,
  emptyPlan,
  SUMMARY_SECTIONS,
  type SummaryItem,
} from "@threadfold/core";
import { message, runs } from "@threadfold/core/laws";
import { presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runFold } from "../testing/run-fold.ts";

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
