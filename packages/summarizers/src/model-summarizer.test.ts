import { applySummaryChanges, renderSummary } from "@threadfold/core";
import { brokenLaws } from "@threadfold/core/laws";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { openaiModel } from "./adapters/openai.ts";
import { cachedSummarizer } from "./cache/cached-summarizer.ts";
import { checkedSummarizer, secondOpinion } from "./checks/summary-checks.ts";
import { ExtractiveSummarizer } from "./extractive/extractive-summarizer.ts";
import { summarizerLaws } from "./laws/summarizer-laws.ts";
import { PROMPTS, promptByVersion, promptNameOf } from "./llm/prompts/prompts.ts";
import { fallbackSummarizer, modelSummarizer } from "./model-summarizer.ts";
import { redactingSummarizer } from "./redaction/redacting-summarizer.ts";
import { Conversation, requestFor } from "./testing/conversation.ts";
import { openaiProtocol, startProvider } from "./testing/fake-provider.ts";
import { factAnswer, ScriptedModel } from "./testing/scripted-model.ts";

const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
const messages = new Conversation()
  .user(`Deploy src/deploy.ts with the token ${secret}. Never print it.`)
  .bash("npm test", `The parser is slow. ${"12 passed ".repeat(60)}`)
  .agent("The parser is slow.").messages;
const request = requestFor(messages);
const QUICK = { minRetryDelayMs: 1, maxRetryDelayMs: 2, retries: 1 } as const;
const textOf = ({ changes }: { readonly changes: Parameters<typeof applySummaryChanges>[2] }): string =>
  renderSummary(applySummaryChanges(null, request.span, changes).summary);

describe("modelSummarizer", () => {
  it.each(PROMPTS)("promptVersion: the provider gets the prompt $id", async (prompt) => {
    const provider = await startProvider(openaiProtocol, [{ type: "answer", text: '{"currentTask":"Testing"}' }]);
    try {
      const model = openaiModel({ client: new OpenAI({ baseURL: provider.url, apiKey: "key" }), model: "gpt" });
      await modelSummarizer({ model, promptVersion: promptNameOf(prompt) }).summarize(request);
      const [system, question] = (provider.bodies[0]?.["messages"] ?? []) as readonly { readonly content: string }[];
      expect(system?.content).toBe(prompt.system);
      expect(question?.content).toContain(prompt.task.replace("{compactionRound}", "1"));
      expect(JSON.stringify(provider.bodies)).not.toContain(secret);
    } finally {
      await provider.close();
    }
  });

  it.each([
    ["options", undefined],
    ["model", {}],
    ["model", { model: "claude" }],
    ["modle", { modle: {} }],
    ["redact", { model: new ScriptedModel([]), redact: "no" }],
    ["checks", { model: new ScriptedModel([]), checks: true }],
  ])("refuses what it cannot work with, by the name %s: %o", (name, options) => {
    const refusal = expect.objectContaining({ code: "INVALID_CONFIG", details: { name } });
    expect(() => modelSummarizer(options as never)).toThrow(refusal);
  });

  const scope = { tenantId: null, policyVersion: "v1" };
  const extractive = new ExtractiveSummarizer();
  it.each<[string, () => unknown]>([
    ["inner.summarize", () => cachedSummarizer(undefined as never, scope)],
    ["options", () => cachedSummarizer(extractive, undefined as never)],
    ["policyVersion", () => cachedSummarizer(extractive, { tenantId: null } as never)],
    ["maxSiz", () => cachedSummarizer(extractive, { ...scope, maxSiz: 1 } as never)],
    ["store.get", () => cachedSummarizer(extractive, { ...scope, store: {} as never })],
    ["checks[0].problem", () => cachedSummarizer(extractive, { ...scope, checks: [1] as never })],
    ["inner.summarize", () => checkedSummarizer({} as never)],
    ["checks", () => checkedSummarizer(extractive, {} as never)],
    ["checks[0].problem", () => checkedSummarizer(extractive, [null] as never)],
    ["first.summarize", () => fallbackSummarizer(null as never)],
    ["second.summarize", () => fallbackSummarizer(extractive, "x" as never)],
    ["inner.summarize", () => redactingSummarizer(undefined as never)],
    ["options", () => secondOpinion(undefined as never)],
    ["model.complete", () => secondOpinion({} as never)],
    ["otherwise", () => secondOpinion({ model: new ScriptedModel([]), otherwise: "reject" as never })],
  ])("and its parts refuse %s where they are made", (name, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }));
  });

  it("refuses an unknown prompt version and names the known ones", () => {
    const model = new ScriptedModel(["{}"]);
    expect(() => modelSummarizer({ model, promptVersion: "poem-v7" })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", hint: expect.stringContaining("codex-v2") }),
    );
    expect(promptByVersion("threadfold-v2")).toBe(PROMPTS[0]);
  });

  it("R26: keeps the secret out of the model's requests, the summary, the fallback and error messages", async () => {
    const model = new ScriptedModel((asked) => factAnswer(asked));
    const good = await modelSummarizer({ model }).summarize(request);
    expect(JSON.stringify(model.requests)).not.toContain(secret);
    expect(textOf(good)).not.toContain(secret);
    expect(good.by).toMatch(/ redacted$/);
    const down = new ScriptedModel([new Error(`401: the key ${secret} is not known`)]);
    const stoodIn = await modelSummarizer({ model: down, ...QUICK }).summarize(request);
    expect(stoodIn.by).toBe("extractive-v25 redacted");
    expect(stoodIn.problem).toContain("[redacted github-token]");
    expect(JSON.stringify(stoodIn)).not.toContain(secret);
    const failure = modelSummarizer({ model: down, ...QUICK, fallback: null }).summarize(request);
    await expect(failure).rejects.toMatchObject({
      code: "SUMMARIZER_FAILED",
      message: expect.not.stringContaining(secret),
      details: { reason: "model-failed" },
    });
  });

  it("redact: false shows the model the unredacted text", async () => {
    const model = new ScriptedModel((asked) => factAnswer(asked));
    await modelSummarizer({ model, redact: false }).summarize(request);
    expect(JSON.stringify(model.requests)).toContain(secret);
  });

  it("cache: asks the model about the same span once, and each time without a cache", async () => {
    for (const [cache, calls] of [
      [{ tenantId: "a", policyVersion: "v1" }, 1],
      [undefined, 2],
    ] as const) {
      const model = new ScriptedModel((asked) => factAnswer(asked));
      const summarizer = modelSummarizer({ model, ...(cache !== undefined && { cache }) });
      const first = await summarizer.summarize(request);
      expect(textOf(await summarizer.summarize(request))).toBe(textOf(first));
      expect(model.requests).toHaveLength(calls);
    }
  });

  it("checks: a refused summary is replaced by the fallback's, or fails without a fallback", async () => {
    const model = new ScriptedModel((asked) => factAnswer(asked));
    const never = { name: "never", problem: () => "not good enough" };
    const { by, problem } = await modelSummarizer({ model, checks: [never] }).summarize(request);
    expect({ by, problem }).toEqual({
      by: "extractive-v25 redacted",
      problem: expect.stringContaining("never: not good enough"),
    });
    await expect(modelSummarizer({ model, checks: [never], fallback: null }).summarize(request)).rejects.toMatchObject({
      details: { reason: "never" },
    });
  });

  it("keeps the summarizer laws, whether the model answers or fails", async () => {
    for (const answers of [[new Error("down")], ['{"currentTask":"Testing the parser"}']]) {
      const summarizer = modelSummarizer({ model: new ScriptedModel(answers), ...QUICK });
      const trials = { inputs: fc.constant({ request }), times: 1 };
      expect(await brokenLaws(summarizerLaws(summarizer, trials))).toEqual([]);
    }
  });
});
