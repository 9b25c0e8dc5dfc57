import {
  applySummaryChanges,
  type ResolvedItem,
  renderSummary,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type SummaryItem,
  trimSummary,
} from "@threadfold/core";
import { patience, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectionReason } from "../llm/answer/rejection.ts";
import { LLMSummarizer } from "../llm/llm-summarizer.ts";
import { Conversation, countTokens, requestFor } from "../testing/conversation.ts";
import { ATTACKS, type Attack, hostileModel } from "./hostile-model.ts";

const CYCLES = 10;
/** Walks of ten folds each. Sessions make 5,000 plans with the same model in every check, so few are enough here. */
const WALKS = 150;
const WALKS_IN_FULL = 10_000;
const MAX_TOKENS = 700;

/** The spans of ten folds. */
const SPANS: readonly SummarizeRequest[] = (() => {
  const conversation = new Conversation();
  for (let index = 0; index < CYCLES; index++) {
    conversation
      .user(
        index === 0
          ? "Build src/build.ts. Never push to main."
          : `Please write chapter number ${index} of the manual, too.`,
      )
      .bash(`make step-${index}`, `step ${index} ${"log ".repeat(20)}`, index % 2)
      .agent(`I could not finish chapter ${index} yet; a test failed.`);
  }
  const { messages } = conversation;
  const size = messages.length / CYCLES;
  return Array.from({ length: CYCLES }, (_, index) =>
    requestFor(messages.slice(index * size, (index + 1) * size), { maxTokens: MAX_TOKENS }),
  );
})();

type Filed = { readonly section: string; readonly item: SummaryItem };
const itemsOf = (summary: StructuredSummary): readonly Filed[] =>
  SUMMARY_SECTIONS.flatMap((section) => summary[section].map((item) => ({ section, item })));

describe("a hostile model over ten folds", () => {
  it(`P5 P6: makes no rule and no open item disappear in ${WALKS * CYCLES} plans, and every removal is recorded`, {
    timeout: patience(120_000),
  }, async () => {
    let plans = 0;
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...ATTACKS), { minLength: 1, maxLength: CYCLES }), async (attacks) => {
        let turn = 0;
        const summarizer = new LLMSummarizer({
          model: hostileModel(() => attacks[turn++ % attacks.length] as Attack),
          retries: 0,
        });
        let previous: StructuredSummary | null = null;
        const records: ResolvedItem[] = [];
        const known = new Set<string>();
        for (const span of SPANS) {
          for (const id of span.span.messageIds) known.add(id);
          const { changes, reason } = await summarizer.summarize({ ...span, previous }).then(
            (result) => ({ changes: result.changes, reason: "accepted" }),
            (error: unknown) => ({ changes: [], reason: rejectionReason(error) ?? "untyped" }),
          );
          outcomes.add(reason);
          const merged = applySummaryChanges(previous, span.span, changes);
          const trimmed = trimSummary(merged.summary, MAX_TOKENS, countTokens);
          records.push(...merged.resolved, ...trimmed.resolved);
          expectKept(previous, trimmed.summary, records);
          for (const { item } of itemsOf(trimmed.summary))
            for (const source of item.sources) expect(known.has(source)).toBe(true);
          expect(renderSummary(trimmed.summary)).not.toMatch(/invented_x|deadbeef99/);
          previous = trimmed.summary;
          plans++;
        }
      }),
      runs(WALKS, WALKS_IN_FULL),
    );
    expect(plans).toBeGreaterThanOrEqual(WALKS * CYCLES);
    for (const reason of ["accepted", "blank", "not-json", "tool-call", "ungrounded", "model-failed"])
      expect(outcomes).toContain(reason);
    expect(outcomes).not.toContain("untyped");
  });
});

function expectKept(
  before: StructuredSummary | null,
  after: StructuredSummary,
  records: readonly ResolvedItem[],
): void {
  if (before === null) return;
  const present = new Set(itemsOf(after).map(({ item }) => item.id));
  const recorded = new Set(records.map(({ item }) => item.id));
  const lost = itemsOf(before).filter(({ item }) => !present.has(item.id) && !recorded.has(item.id));
  expect(lost).toEqual([]);
  expect(before.constraints.filter(({ id }) => !present.has(id))).toEqual([]);
  expect(after.originalTask).toEqual(before.originalTask ?? after.originalTask);
  const work = new Set(after.openItems.map(({ description }) => description));
  const open = before.openItems.filter(({ status }) => status === "open");
  expect(open.filter(({ description }) => !work.has(description))).toEqual([]);
}
