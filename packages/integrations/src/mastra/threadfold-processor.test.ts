import type { AgentConfig, MastraDBMessage } from "@mastra/core/agent";
import { asThreadId } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { agentThatFolds } from "./example.ts";
import { mastraPrompt } from "./mastra-prompt.ts";

const RULE = "Never edit config/production.yaml without asking me first.";
const page = (name: string): string => `${name}: ${"a line of the file that says little. ".repeat(40)}`;

const open = (maxInputTokens: number) =>
  ContextSession.open({ threadId: asThreadId("t"), format: formatById("ai-sdk"), config: { maxInputTokens } });

const said = (id: string, text: string): MastraDBMessage => ({
  id,
  role: "user",
  createdAt: new Date(),
  content: { format: 2, parts: [{ type: "text", text }] },
});

/** The SDK's mock as Mastra's types want a model: it wraps both calls itself. */
const asModel = (model: MockLanguageModelV4) => model as unknown as AgentConfig["model"];

/** A model that answers every call with a page, after the failures that it is told of. */
function answeringModel(failures: unknown[] = []) {
  let answers = 0;
  const usage = {
    inputTokens: { total: 100, noCache: 40, cacheRead: 60, cacheWrite: 0 },
    outputTokens: { total: 9, text: 9, reasoning: 0 },
  };
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const text = page(`answer ${answers++}`);
      return { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] };
    },
  });
}

describe("ThreadfoldProcessor", () => {
  it("folds what the model is sent, and leaves Mastra's messages as they are", async () => {
    const [model, session] = [answeringModel(), await open(4_000)];
    const agent = agentThatFolds(asModel(model), session);
    const history: MastraDBMessage[] = [];
    for (let turn = 0; turn < 14; turn++) {
      history.push(said(`u${turn}`, turn === 0 ? RULE : page(`question ${turn}`)));
      const { response } = await agent.generate(history);
      history.push(...(response.dbMessages ?? []));
    }
    expect(history).toHaveLength(28);
    expect(session.plan.version).toBeGreaterThan(0);
    expect(session.thread.length).toBe(27);
    const prompt = model.doGenerateCalls.at(-1)?.prompt ?? [];
    expect(prompt.length).toBeLessThan(27);
    expect(prompt[0]).toMatchObject({ role: "system", content: "You are a careful engineer." });
    expect(JSON.stringify(prompt)).toContain(RULE);
    expect(session.stats().usage).toMatchObject({ inputTokens: 1_400, cacheReadTokens: 840 });
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("folds for a request that was refused as too long, and sends it once more", async () => {
    const tooLong = Object.assign(new Error("prompt is too long: 9000 tokens > 8000 maximum"), {
      statusCode: 400,
      isRetryable: false,
    });
    const [failures, session] = [[] as unknown[], await open(50_000)];
    const model = answeringModel(failures);
    const agent = agentThatFolds(asModel(model), session);
    const history = Array.from({ length: 9 }, (_, turn) => said(`u${turn}`, page(`question ${turn}`)));
    failures.push(tooLong);
    const { text } = await agent.generate(history);
    expect(text).toContain("answer 0");
    const [first, second] = model.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt).length);
    expect(model.doGenerateCalls).toHaveLength(2);
    expect(second).toBeLessThan(first ?? 0);
    expect(session.plan.version).toBe(1);
  });
});

it("media in a result have the one form that Mastra's prompts have", () => {
  const value = [
    { type: "text", text: "seen" },
    { type: "image-data", data: "aGk=", mediaType: "image/png" },
    { type: "file-url", url: "https://example.com/a.pdf" },
  ];
  const result = { type: "tool-result", toolCallId: "c", toolName: "look", output: { type: "content", value } };
  const [message] = mastraPrompt({ messages: [{ role: "tool", content: [result] }] });
  expect(message?.content).toMatchObject([
    {
      output: {
        value: [
          { type: "text", text: "seen" },
          { type: "media", data: "aGk=", mediaType: "image/png" },
          { type: "text", text: "[https://example.com/a.pdf]" },
        ],
      },
    },
  ]);
});
