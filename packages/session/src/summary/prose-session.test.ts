import { readFileSync } from "node:fs";
import {
  asThreadId,
  type CompletionModel,
  type CompletionRequest,
  renderSummary,
  structuredSummarySchema,
} from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { importSession } from "@threadfold/importers";
import { createMemoryStore, exportThread } from "@threadfold/stores";
import { claudeCodePreset, codexPreset } from "@threadfold/strategies";
import { claudeCodePrompt, codexPrompt } from "@threadfold/summarizers";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const example = new URL("../../../../examples/sessions/a-day-on-threadfold.jsonl", import.meta.url);
const MAX_INPUT_TOKENS = 60_000;

/** Tells something else at each call, as a model does that knows what it told before. */
class TellingModel implements CompletionModel {
  readonly id = "telling";
  readonly requests: CompletionRequest[] = [];
  async complete(request: CompletionRequest) {
    this.requests.push(request);
    const text = `## Progress\nAccount ${this.requests.length}: the packages were built one after the other.\n\n## Next steps\n1. Run the recorded sessions again.`;
    return { text, finish: "stop", toolCalls: 0 } as const;
  }
}

describe.each([
  [codexPreset, codexPrompt],
  [claudeCodePreset, claudeCodePrompt],
] as const)("preset $name with a model that answers in prose, on the example session", (preset, prompt) => {
  it("sends the seed's prompt, shows the model's prose beside what code keeps, and builds on it in later folds", async () => {
    const { messages } = await importSession(readFileSync(example));
    const model = new TellingModel();
    const store = createMemoryStore();
    const session = await ContextSession.open({
      ...{ threadId: asThreadId("day"), store, preset, clock: pinnedClock(0) },
      ...{ config: { maxInputTokens: MAX_INPUT_TOKENS }, summaryModel: model, background: false },
    });
    for (let at = 0; at < messages.length; at += 100) {
      await session.append(messages.slice(at, at + 100));
      const { outcome, violations, missingPins, tokens } = await session.prepare();
      expect([violations, missingPins]).toEqual([[], []]);
      expect(tokens).toBeLessThanOrEqual(MAX_INPUT_TOKENS);
      if (outcome !== null && "plan" in outcome) expect(outcome.type).toBe("committed");
    }
    expect(model.requests.length).toBeGreaterThan(1);
    for (const { system, messages: asked } of model.requests) {
      expect(system).toBe(prompt.system);
      expect(asked[0]?.text.endsWith(prompt.task)).toBe(true);
    }
    const [summary] = session.plan.summarizations.map((record) => record.summary);
    if (summary === undefined) throw new Error("nothing was folded");
    const questions = model.requests.map((request) => request.messages[0]?.text ?? "");
    expect(questions.some((question) => / {2}Account \d+: the packages were built/.test(question))).toBe(true);
    const text = renderSummary(summary);
    expect(text).toMatch(/## Account in the words of the model[^\n]*\n {2}## Progress\n {2}Account \d+: /);
    expect(summary.files.length).toBeGreaterThan(0);
    expect(summary.toolOutcomes.length).toBeGreaterThan(0);
    expect([...summary.facts, ...summary.identifiers]).toEqual([]);
    const prepared = await session.prepare();
    expect(JSON.stringify(prepared.payload)).toContain("the packages were built one after the other.");
    // What was stored is read back and exported as it was.
    expect(structuredSummarySchema.parse(JSON.parse(JSON.stringify(summary)))).toEqual(summary);
    const again = await ContextSession.open({ threadId: asThreadId("day"), store, preset });
    expect(again.plan.summarizations[0]?.summary).toEqual(summary);
    expect(await exportThread(store, asThreadId("day"))).toContain(JSON.stringify(summary.narrative?.text));
  });
});
