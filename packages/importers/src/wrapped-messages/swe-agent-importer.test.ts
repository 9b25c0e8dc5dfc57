import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument } from "../laws/importer-laws.ts";

const system = { role: "system", content: "be brief", agent: "main" };
const task = { role: "user", content: "fix it", message_type: "observation" };
const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: '{"a":1}' } });
const acting = (id: string, name: string) => ({
  role: "assistant",
  content: "hm",
  thought: "hm",
  tool_calls: [call(id, name)],
});
const observed = (id: string, content: string) => ({ role: "tool", content, tool_call_ids: [id] });
const traj = (...history: readonly object[]) => jsonDocument({ trajectory: [{ action: "x" }], history, info: {} });

describe("sweAgentImporter", () => {
  it("reads the history once, with the first user message outside the demonstration as the task", async () => {
    const demo = { role: "user", content: "Here is a demonstration", is_demo: true };
    const said = { role: "assistant", content: "```\nls\n```", thought: "t", action: "ls" };
    const bytes = traj(system, demo, task, said, { role: "user", content: "a.txt" });
    const session = await importSession(bytes);
    expect(session.format).toBe("swe-agent");
    expect(session.messages.map(({ role, origin }) => [role, origin])).toEqual([
      ["system", undefined],
      ["user", "harness"],
      ["user", undefined],
      ["assistant", undefined],
      ["user", "harness"],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "swe-agent" }))).toEqual([]);
  });

  it("names the model that the run was configured with, which newer versions write as JSON text", async () => {
    const config = { agent: { model: { name: "claude" } } };
    for (const replay_config of [config, JSON.stringify(config)]) {
      const bytes = jsonDocument({ trajectory: [], history: [task], info: {}, replay_config });
      expect((await importSession(bytes)).model).toBe("claude");
    }
    const broken = jsonDocument({ trajectory: [], history: [task], info: {}, replay_config: "{" });
    expect((await importSession(broken)).model).toBeUndefined();
  });

  it.each([
    ["failure", "No replacement was performed, old_str `a` did not appear verbatim in /testbed/a.py."],
    ["failure", "Invalid `path` parameter: /testbed/a.py. It must be absolute."],
    ["failure", "The path /testbed/a.py does not exist. Please provide a valid path."],
    ["failure", "File already exists at: /testbed/a.py. Cannot overwrite files using command `create`."],
    ["failure", "The command 'make' was cancelled because it took more than 30 seconds. Please try another."],
    ["success", "The file /testbed/a.py has been edited."],
    ["success", "1 No replacement was performed"],
  ])("knows by the tools' own words that a call failed: %s, %s", async (outcome, words) => {
    for (const content of [`OBSERVATION:\n${words}`, words, [{ type: "text", text: `OBSERVATION:\n${words}` }]]) {
      const { messages } = await importSession(traj(task, acting("c1", "bash"), { ...observed("c1", ""), content }));
      expect(messages[2]?.parts).toMatchObject([{ result: { outcome } }]);
    }
  });

  it("matches results to calls by their single listed id, even if a demonstration reuses ids", async () => {
    const bytes = traj(task, acting("c1", "bash"), observed("c1", "1"), acting("c1", "open"), observed("c1", "2"));
    const { messages } = await importSession(bytes);
    const results = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [part.result] : [])),
    );
    expect(results.map(({ callId, toolName }) => [callId, toolName])).toEqual([
      ["c1", "bash"],
      ["c1", "open"],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "swe-agent" }))).toEqual([]);
  });

  it("keeps the thoughts of an answer with their signatures", async () => {
    const thinking_blocks = [
      { type: "thinking", thinking: "Look first.", signature: "c2ln" },
      { type: "redacted_thinking", data: "c2VjcmV0" },
    ];
    const bytes = traj(task, { ...acting("c1", "bash"), thinking_blocks }, observed("c1", "1"));
    const { messages } = await importSession(bytes);
    expect(messages[1]?.parts).toMatchObject([
      { type: "reasoning", text: "Look first.", provider: "anthropic", signature: "c2ln" },
      { type: "reasoning", text: "", provider: "anthropic", encrypted: "c2VjcmV0" },
      { type: "text", text: "hm" },
      { type: "tool-call", callId: "c1" },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "swe-agent" }))).toEqual([]);
  });
});
