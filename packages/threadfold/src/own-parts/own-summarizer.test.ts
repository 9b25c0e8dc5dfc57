import { asMessageId, type CompletionModel, type Summarizer } from "@threadfold/core";
import { modelSummarizer } from "@threadfold/summarizers";
import { brokenLaws, keepLaws, summarizerLaws, summaryTrials } from "threadfold/laws";
import { describe, expect, it } from "vitest";

/** A model as somebody else would connect it: it is asked with text and answers with text. */
const brief: CompletionModel = {
  id: "brief",
  complete: async () => ({ text: '{"currentTask":"Testing the parser"}', finish: "stop", toolCalls: 0 }),
};

/** Summaries with room for a task and some rules, as sessions ask for them. */
const inputs = summaryTrials.filter(({ request }) => request.maxTokens >= 400);

const firstFolds = inputs.map(({ request }) => ({ request: { ...request, previous: null } }));

keepLaws(
  "a summarizer with a model of one's own",
  summarizerLaws(modelSummarizer({ model: brief, retries: 0 }), { inputs, times: 40 }),
  { describe, it },
);

describe("a summarizer of one's own", () => {
  it("breaks the laws when it cites what it was not given, says more each time and knows no limit", async () => {
    let calls = 0;
    const careless: Summarizer = {
      id: "careless",
      summarize: async ({ countTokens, maxTokens }) => {
        const text = "and so on ".repeat(++calls + maxTokens * countTokens("a word"));
        return { changes: [{ op: "set-narrative", narrative: { text, sources: [asMessageId("elsewhere")] } }] };
      },
    };
    const trials = { inputs: firstFolds, times: 5 };
    expect((await brokenLaws(summarizerLaws(careless, trials))).map(({ name }) => name)).toEqual([
      "every item names messages of the span or of the summary before it",
      "the rendered summary is within its limit, unless what must stay is not, or nothing would be left",
      "the same request gives the same changes",
    ]);
  });

  it("is tried on requests of one's own, too", async () => {
    const silent: Summarizer = { id: "silent", summarize: async () => ({ changes: [] }) };
    expect(await brokenLaws(summarizerLaws(silent, { inputs: firstFolds, times: 20 }))).toEqual([]);
  });

  it("breaks the laws without a name, because caches and records go by it", async () => {
    const nameless: Summarizer = { id: "", summarize: async () => ({ changes: [] }) };
    expect(await brokenLaws(summarizerLaws(nameless, { inputs: firstFolds, times: 2 }))).toEqual([
      { name: "it has a name", problem: expect.stringMatching(/^its id is empty\n/) },
    ]);
  });
});
