import { sha256 } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { Conversation, requestFor } from "../../../test-support/conversation.ts";
import { factAnswer, questionOf, ScriptedModel } from "../../../test-support/scripted-model.ts";
import { ANSWER_SECTIONS } from "../answer/answer-schema.ts";
import { LLMSummarizer } from "../llm-summarizer.ts";
import { answerFormat } from "./answer-format.ts";
import { promptByVersion } from "./prompt-by-version.ts";
import { ANSWER_FORMAT_VERSION, promptVersionOf } from "./prompt-variant.ts";
import { PROMPTS } from "./prompts.ts";

/** A prompt that changes without a new version would be taken for the old one by every cache. */
const TEXTS: Readonly<Record<string, string>> = {
  "threadfold@1": "3f3e480a67ca",
  "codex@1": "2fcbffdc1785",
  "opencode@1": "a05d3a9a91fd",
  "claude-code@1": "cdaf5a41e8fe",
  "pi@2": "678602c49adb",
  "handoff@1": "0f47edee18b6",
};
const FORMAT = { version: 1, digest: "75fc7265bf92" };

describe("prompt variants", () => {
  it.each([
    [
      "seed 001, pi: maxTokens is 0.8 of the reserve, 13 107, which is what its summary may take",
      "pi-v2",
      13_107,
      13_107,
    ],
    ["seed 001, pi: with another reserve", "pi-v2", 26_214, 26_214],
    ["others may answer at twice the length, up to 8 000 tokens", "codex-v1", 13_107, 8_000],
    ["others may answer at twice the length", "codex-v1", 3_000, 6_000],
  ])("%s", async (_, promptVersion, maxTokens, maxOutputTokens) => {
    const model = new ScriptedModel((asked) => factAnswer(asked));
    const request = requestFor(new Conversation().user("Fix the parser.").agent("Fixed.").messages, { maxTokens });
    await new LLMSummarizer({ model, prompt: promptByVersion(promptVersion) }).summarize(request);
    expect(model.requests[0]?.maxOutputTokens).toBe(maxOutputTokens);
  });

  it("have names of their own, and texts that are known by their versions", () => {
    expect(new Set(PROMPTS.map(promptVersionOf)).size).toBe(PROMPTS.length);
    const digests = PROMPTS.map((prompt) => [
      `${prompt.id}@${prompt.version}`,
      sha256(JSON.stringify(prompt)).slice(0, 12),
    ]);
    expect(Object.fromEntries(digests)).toEqual(TEXTS);
    const format = sha256(answerFormat("number", 100) + answerFormat("quote", 100)).slice(0, 12);
    expect({ version: ANSWER_FORMAT_VERSION, digest: format }).toEqual(FORMAT);
  });

  it.each(PROMPTS)(
    "$id asks for sections that exist and puts the user's instructions under its own title",
    async (prompt) => {
      const named = prompt.task.match(/\b[a-z]+[A-Z][a-z]+\b/g) ?? [];
      for (const name of named) expect([...ANSWER_SECTIONS, "currentTask", "currentPlan"]).toContain(name);
      const model = new ScriptedModel((asked) => factAnswer(asked));
      const request = requestFor(new Conversation().user("Fix the parser.").agent("Fixed.").messages, {
        instructions: "Ship the release.",
      });
      await new LLMSummarizer({ model, prompt, instructions: "Write German." }).summarize(request);
      expect(model.requests[0]?.system).toBe(prompt.system);
      expect(questionOf(model.requests[0])).toContain(`${prompt.instructionsTitle}:\nWrite German.\nShip the release.`);
    },
  );
});
