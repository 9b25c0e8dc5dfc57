import { existsSync, readdirSync, readFileSync } from "node:fs";
import { sha256 } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { Conversation, requestFor } from "../../testing/conversation.ts";
import { RECORDED_SESSIONS } from "../../testing/recorded-session.ts";
import { factAnswer, questionOf, ScriptedModel } from "../../testing/scripted-model.ts";
import { ANSWER_SECTIONS } from "../answer/read-answer.ts";
import { LLMSummarizer } from "../llm-summarizer.ts";
import {
  ANSWER_FORMAT_VERSION,
  aiSdkPrompt,
  claudeCodePrompt,
  codexPrompt,
  opencodePrompt,
  PROMPTS,
  piPrompt,
  promptByVersion,
  promptVersionOf,
  prosePrompt,
  springSessionPrompt,
} from "./prompts.ts";
import { answerFormat } from "./question-text.ts";

/** A prompt that changes without a new version would be taken for the old one by every cache. */
const TEXTS: Readonly<Record<string, string>> = {
  "threadfold@2": "0a5022acf8bf",
  "codex@2": "274b4b67a2cd",
  "opencode@2": "1ffd8d382659",
  "claude-code@2": "83006a387df4",
  "pi@3": "284aa0d8fce3",
  "handoff@3": "57f3483b123c",
  "ai-sdk@1": "937c7bdc7c79",
  "prose@1": "4a12fcaee3a8",
  "spring-session@1": "f05f30c06b2e",
};
const FORMAT = { version: 2, digest: "c26c3ce66924" };

/** The documents that the prompts are quoted from stand beside the recordings, where there are any. */
const SEEDS = `${RECORDED_SESSIONS}/../seeds`;
const seed = (number: string): string => {
  const name = readdirSync(SEEDS).find((file) => file.startsWith(number)) as string;
  return readFileSync(`${SEEDS}/${name}`, "utf8");
};
const QUOTED = [
  [claudeCodePrompt, "001", ["task"]],
  [codexPrompt, "001", ["task"]],
  [opencodePrompt, "001", ["system", "task"]],
  [piPrompt, "001", ["task"]],
  [prosePrompt, "001", ["task"]],
  [aiSdkPrompt, "003", ["system", "task"]],
] as const;

describe("prompts of other systems", () => {
  it.skipIf(!existsSync(SEEDS)).each(QUOTED)(
    "all-2 $0.id matches the quotation in seed $1 word for word",
    (prompt, number, fields) => {
      const text = seed(number);
      for (const field of fields) expect(text).toContain(prompt[field].replace("{", "${"));
      for (const title of Object.values(prompt.titles ?? {})) expect(text).toContain(title);
      if (prompt.temperature !== undefined) expect(text).toContain(`temperature: ${prompt.temperature},`);
    },
  );

  it.skipIf(!existsSync(SEEDS))("Spring's title for the previous summary matches seed 004", () => {
    expect(seed("004")).toContain(springSessionPrompt.titles?.previous);
  });
});

describe("prompt variants", () => {
  it.each([
    [
      "seed 001, pi: maxTokens is 0.8 of the reserve, 13 107, which is what its summary may take",
      "pi-v3",
      13_107,
      13_107,
    ],
    ["seed 001, pi: with another reserve", "pi-v3", 26_214, 26_214],
    ["seed 003: maxTokens is 1 000", "ai-sdk-v1", 1_000, 1_000],
    ["notes may take twice the length, up to 8 000 tokens", "threadfold-v2", 13_107, 8_000],
    ["notes may take twice the length", "threadfold-v2", 3_000, 6_000],
  ])("%s", async (_, promptVersion, maxTokens, maxOutputTokens) => {
    const model = new ScriptedModel((asked) => factAnswer(asked));
    const request = requestFor(new Conversation().user("Fix the parser.").agent("Fixed.").messages, { maxTokens });
    await new LLMSummarizer({ model, prompt: promptByVersion(promptVersion) }).summarize(request);
    expect(model.requests[0]?.maxOutputTokens).toBe(maxOutputTokens);
  });

  it("have unique names, and their texts change only with a new version", () => {
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
      const named = prompt.form === "json" ? (prompt.task.match(/\b[a-z]+[A-Z][a-z]+\b/g) ?? []) : [];
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
