import { MockLanguageModelV4 } from "ai/test";
import { MockLanguageModelV3 } from "ai-sdk-6/test";
import { describe, expect, it, vi } from "vitest";

const usage = {
  inputTokens: { total: 90, noCache: 90, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
};
const answer = async () => ({
  content: [{ type: "text" as const, text: "In short." }],
  finishReason: { unified: "stop" as const, raw: undefined },
  usage,
  warnings: [],
});

describe.each([7, 6])("a summary model of the AI SDK, version %i", (version) => {
  it("receives the system prompt and messages, and reports its usage", async () => {
    vi.resetModules();
    vi.doMock("ai", () => (version === 7 ? vi.importActual("ai") : import("ai-sdk-6")));
    const { aiSdkModel } = await import("./ai-sdk-model.ts");
    const model =
      version === 7
        ? new MockLanguageModelV4({ doGenerate: answer })
        : new MockLanguageModelV3({ doGenerate: answer as never });
    const completion = await aiSdkModel({ model: model as MockLanguageModelV4 }).complete({
      system: "Summarize.",
      messages: [{ role: "user", text: "A long story." }],
      maxOutputTokens: 100,
    });
    expect(completion).toMatchObject({
      text: "In short.",
      finish: "stop",
      usage: { inputTokens: 90, outputTokens: 7 },
    });
    expect(model.doGenerateCalls[0]?.prompt).toMatchObject([
      { role: "system", content: "Summarize." },
      { role: "user", content: [{ type: "text", text: "A long story." }] },
    ]);
  });
});
