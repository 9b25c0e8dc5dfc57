import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument } from "../laws/importer-laws.ts";

const completion = {
  model: "gemini",
  usage: { prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 60 } },
  choices: [{ message: { content: "x", reasoning: "never sent again" } }],
};
const bytes = jsonDocument({
  trajectory_format: "mini-swe-agent-1",
  instance_id: "django-1",
  info: { config: { model: { model_name: "google/gemini" } } },
  messages: [
    { role: "system", content: "one bash block" },
    { role: "user", content: "<pr_description>" },
    { role: "assistant", content: "THOUGHT: look\n\n```bash\nls\n```", extra: { response: completion } },
    { role: "user", content: "<returncode>0</returncode>\n<output>\na\n</output>" },
    { role: "assistant", content: "done" },
    { role: "exit", content: "diff" },
  ],
});

describe("miniSweAgentImporter", () => {
  it("starts a turn only for the task: observations and the end of the run are the harness's", async () => {
    const session = await importSession(bytes);
    expect(session.format).toBe("mini-swe-agent");
    expect(session.messages.map(({ role, origin }) => [role, origin])).toEqual([
      ["system", undefined],
      ["user", undefined],
      ["assistant", undefined],
      ["user", "harness"],
      ["assistant", undefined],
      ["user", "harness"],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "mini-swe-agent" }))).toEqual([]);
  });

  it("includes the cache in the input once, and leaves out reasoning that is never resent", async () => {
    const { messages } = await importSession(bytes);
    expect(messages[2]?.usage).toEqual({ inputTokens: 100, outputTokens: 9, cacheReadTokens: 60 });
    expect(messages[2]?.parts).toEqual([{ type: "text", text: "THOUGHT: look\n\n```bash\nls\n```" }]);
  });
});
