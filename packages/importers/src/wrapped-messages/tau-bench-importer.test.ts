import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const call = (name: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "same", type: "function", function: { name, arguments: "{}" } }],
});
const answer = (name: string) => ({ role: "tool", tool_call_id: "same", name, content: name });
const run = (task: number, trial: number, ...more: readonly object[]) => ({
  task_id: task,
  trial,
  reward: 1,
  traj: [{ role: "system", content: "policy" }, { role: "user", content: "hi" }, ...more],
});

describe("tauBenchImporter", () => {
  it("pairs results by position if an id is reused", async () => {
    const bytes = jsonLines([run(1, 0, call("look"), answer("look"), call("book"), answer("book"))]);
    const { format, messages } = await importSession(bytes);
    expect(format).toBe("tau-bench");
    expect(messages.slice(3).map(({ parts }) => parts[0])).toMatchObject([
      { result: { toolName: "look" } },
      { toolName: "book" },
      { result: { toolName: "book" } },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "tau-bench" }))).toEqual([]);
  });

  it("selects one of several runs by position or by task and trial, and lists them", async () => {
    const runs = [run(2, 0, call("a")), run(2, 1, call("b"))];
    for (const bytes of [jsonLines(runs), jsonDocument(runs)]) {
      const first = await importSession(bytes);
      expect(first.warnings).toEqual([
        { kind: "more-threads", thread: 1, threads: 2, names: ["task-2-trial-0", "task-2-trial-1"] },
      ]);
      const second = await importSession(bytes, { thread: "task-2-trial-1" });
      expect(second.messages.at(-1)?.parts[0]).toMatchObject({ toolName: "b" });
      expect(second.threadId).not.toBe(first.threadId);
      await expect(importSession(bytes, { thread: "task-9" })).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        details: { names: ["task-2-trial-0", "task-2-trial-1"] },
      });
    }
  });

  it("lists the runs, however a task or a trial is named", async () => {
    const oddly = { ...run(1, 0), task_id: { toString: null }, trial: [{ valueOf: null }] };
    const { messages, warnings } = await importSession(jsonLines([{ ...run(1, 0), trial: [] }, oddly, run(2, 1)]));
    expect(messages).toHaveLength(2);
    expect(warnings).toEqual([
      { kind: "more-threads", thread: 1, threads: 3, names: ["task-1", "2", "task-2-trial-1"] },
    ]);
  });
});
