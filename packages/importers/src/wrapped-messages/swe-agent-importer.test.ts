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
});
