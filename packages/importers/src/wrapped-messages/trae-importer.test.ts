import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument } from "../laws/importer-laws.ts";

const usage = {
  input_tokens: 900,
  output_tokens: 20,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: 800,
  reasoning_tokens: 5,
};
const response = (content: string, tool_calls: readonly object[] | null) => ({
  ...{ content, model: "claude-sonnet-5", finish_reason: "stop", usage, tool_calls },
});
const call = (call_id: string, name: string) => ({ call_id, name, arguments: { command: "ls" }, id: null });
const result = (call_id: string, success: boolean, said: string) => ({
  role: "user",
  content: null,
  tool_result: { call_id, success, result: success ? said : null, error: success ? null : said, id: null },
});
const begin = [
  { role: "system", content: "You are a careful engineer." },
  { role: "user", content: "What is here?" },
];
const interaction = (second: number, input_messages: readonly object[], answer: object) => ({
  ...{ timestamp: `2026-03-01T10:00:0${second}.500000`, provider: "anthropic", model: "claude-sonnet-5" },
  ...{ input_messages, response: answer, tools_available: ["bash"] },
});
const first = response("I look.", [call("c1", "bash"), call("c2", "bash")]);
const results = [result("c1", true, "a.ts"), result("c2", false, "It was declined.")];
const trajectory = (llm_interactions: readonly object[]) => ({
  ...{ task: "What is here?", start_time: "2026-03-01T10:00:01.000000", end_time: "", provider: "anthropic" },
  ...{ model: "claude-sonnet-5", max_steps: 20, llm_interactions, agent_steps: [], success: true },
});
const grown = trajectory([interaction(2, begin, first), interaction(4, results, response("One file, a.ts.", null))]);
const repeated = trajectory([
  interaction(2, begin, first),
  interaction(4, [...begin, { role: "assistant", content: "I look." }, ...results], response("One file, a.ts.", null)),
]);

describe("traeImporter", () => {
  it.each([
    ["only the new messages", grown],
    ["the whole history", repeated],
  ])("reads a trajectory whose requests have %s", async (_, document) => {
    const bytes = jsonDocument(document);
    const session = await importSession(bytes);
    expect(session).toMatchObject({ format: "trae", model: "claude-sonnet-5", malformed: [] });
    expect(session.messages.map(({ role, createdAt }) => [role, createdAt])).toEqual([
      ["system", "2026-03-01T10:00:02.500Z"],
      ["user", "2026-03-01T10:00:02.500Z"],
      ["assistant", "2026-03-01T10:00:02.500Z"],
      ["tool", "2026-03-01T10:00:04.500Z"],
      ["tool", "2026-03-01T10:00:04.500Z"],
      ["assistant", "2026-03-01T10:00:04.500Z"],
    ]);
    expect(session.messages[2]).toMatchObject({
      parts: [
        { type: "text", text: "I look." },
        { type: "tool-call", callId: "c1", toolName: "bash", input: { command: "ls" } },
        { type: "tool-call", callId: "c2", toolName: "bash", input: { command: "ls" } },
      ],
      usage: { inputTokens: 900, outputTokens: 20, cacheReadTokens: 800, reasoningTokens: 5 },
    });
    expect(session.messages.slice(3, 5).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", toolName: "bash", outcome: "success", content: { text: "a.ts" } } },
      { result: { callId: "c2", toolName: "bash", outcome: "failure", content: { text: "It was declined." } } },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "trae" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "trae" }))).toEqual([]);
  });

  it("reads a trajectory however deep a value of its first message is nested", async () => {
    const text = JSON.stringify(grown).replace('"role":"system"', `"role":"system","cache":DEEP`);
    const nested = text.replace("DEEP", `${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    const { messages } = await importSession(new TextEncoder().encode(nested));
    expect(messages).toHaveLength((await importSession(jsonDocument(grown))).messages.length);
  });

  it("keeps the thread id when the trajectory grows", async () => {
    const begun = await importSession(jsonDocument(trajectory([interaction(2, begin, first)])));
    expect((await importSession(jsonDocument(grown))).threadId).toBe(begun.threadId);
  });
});
