import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/import-session.ts";
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
  it("takes the task for the only real turn: observations are the harness's, and so is the end of the run", async () => {
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

  it("counts the cache into the input once, and leaves out reasoning that is never sent again", async () => {
    const { messages } = await importSession(bytes);
    expect(messages[2]?.usage).toEqual({ inputTokens: 100, outputTokens: 9, cacheReadTokens: 60 });
    expect(messages[2]?.parts).toEqual([{ type: "text", text: "THOUGHT: look\n\n```bash\nls\n```" }]);
  });
});
