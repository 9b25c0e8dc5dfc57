import { planRecords } from "@threadfold/core";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { describe, expect, expectTypeOf, it } from "vitest";
import { openaiResponses } from "../formats/openai-responses/format.ts";
import { renderSample } from "../testing/render-sample.ts";
import { planWith, recordOver, summaryOver, threadOf } from "../testing/sample-thread.ts";
import { type OpenaiNativeFields, openaiNativeEdits } from "./openai-native-edits.ts";

const thread = threadOf(["user", "go"], ["assistant", "one"], ["user", "on"], ["assistant", "two"], ["user", "end"]);
const drop = { ...recordOver(thread, 1), action: "drop", keywords: [] } as const;
const plan = {
  ...planWith(thread, summaryOver(thread, [2, 3]), drop),
  originalTokens: 90_000,
  compactedTokens: 30_000,
};

describe("native compaction at OpenAI", () => {
  it("replaces the plan's summaries and leaves drops to rendering", () => {
    const { fields, betas, rest, differences } = openaiNativeEdits(thread, plan);
    expect(fields).toEqual({ context_management: [{ type: "compaction", compact_threshold: 30_000 }] });
    expect(betas).toEqual([]);
    expect(planRecords(rest).map(({ action }) => action)).toEqual(["drop"]);
    expect(differences).toEqual([
      { kind: "left-to-rendering", action: "drop", reason: "no-such-edit", messageIds: ["m1"] },
      { kind: "summary-by-provider", messageIds: ["m2", "m3"] },
      { kind: "summarized-too", messageIds: ["m4", "m5"] },
      { kind: "edited-out-of-sight" },
    ]);
    const { payload, manifest } = renderSample(thread, { plan: rest, format: "openai-responses" });
    expect(openaiResponses.check({ ...payload, ...fields }, manifest)).toEqual([]);
  });

  it("sends no field when the plan summarizes nothing, and reports when compaction is not due", () => {
    expect(openaiNativeEdits(thread, planWith(thread, drop))).toMatchObject({ fields: {}, headers: {} });
    expect(openaiNativeEdits(thread, plan, { compactAt: 100_000 }).differences).toContainEqual({
      kind: "not-due",
      tokens: 90_000,
      threshold: 100_000,
    });
  });

  it("has the SDK's type", () => {
    type Field = NonNullable<ResponseCreateParamsNonStreaming["context_management"]>[number];
    type Ours = NonNullable<OpenaiNativeFields["context_management"]>[number];
    expectTypeOf<Ours>().toExtend<Field>();
    expectTypeOf<keyof OpenaiNativeFields>().toExtend<keyof ResponseCreateParamsNonStreaming>();
  });
});
