import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const user = { id: 1, source: "user", action: "message", args: { content: "go", image_urls: ["https://x/a.png"] } };
const toolCall = (id: string) => ({ id, type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } });
const metadata = (callId: string, responseId: string, ...ids: readonly string[]) => ({
  function_name: "bash",
  tool_call_id: callId,
  model_response: {
    id: responseId,
    model: "llama",
    choices: [{ message: { role: "assistant", content: "looking", tool_calls: ids.map(toolCall) } }],
    usage: { prompt_tokens: 90, completion_tokens: 5 },
  },
});
const action = (id: number, callId: string, ...ids: readonly string[]) => ({
  id,
  source: "agent",
  action: "run",
  args: { command: "ls", thought: "looking" },
  tool_call_metadata: metadata(callId, "r1", ...ids),
});
const observation = (id: number, callId: string, more: object = {}) => ({
  id,
  source: "agent",
  observation: "run",
  content: "a.txt",
  extras: { metadata: { exit_code: 0, suffix: "\n[exit code 0]" } },
  tool_call_metadata: metadata(callId, "r1", callId),
  ...more,
});
const run = (...history: readonly unknown[]) => jsonLines([{ instance_id: "i-1", history, metadata: {} }]);

describe("openhandsImporter, events", () => {
  it("makes one message of a response's actions, and counts its usage once", async () => {
    const failed = { extras: { metadata: { exit_code: 2 } } };
    const bytes = run(
      user,
      action(2, "c1", "c1", "c2"),
      observation(3, "c1"),
      action(4, "c2", "c1", "c2"),
      observation(5, "c2", failed),
    );
    const { format, messages } = await importSession(bytes);
    expect(format).toBe("openhands");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
    expect(messages[0]?.parts.map(({ type }) => type)).toEqual(["text", "image"]);
    expect(messages[1]).toMatchObject({ model: "llama", usage: { inputTokens: 90, outputTokens: 5 } });
    expect(messages[1]?.parts.map(({ type }) => type)).toEqual(["text", "tool-call", "tool-call"]);
    expect(messages.slice(2).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", outcome: "success", content: { text: "a.txt\n[exit code 0]" } } },
      { result: { callId: "c2", outcome: "failure" } },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "openhands" }))).toEqual([]);
  });

  it("pairs calls and results by cause if the log has no call id", async () => {
    const plain = { id: 7, source: "agent", action: "run", args: { command: "ls", thought: "hm" } };
    const bytes = jsonDocument([user, plain, { id: 8, cause: 7, observation: "run", content: "a", extras: {} }]);
    const { messages } = await importSession(bytes);
    expect(messages[1]?.parts).toMatchObject([
      { text: "hm" },
      { callId: "event-7", toolName: "run", input: { command: "ls" } },
    ]);
    expect(messages[2]?.parts).toMatchObject([{ result: { callId: "event-7", content: { text: "a" } } }]);
    expect(await brokenLaws(importerLaws({ bytes, format: "openhands" }))).toEqual([]);
  });

  it("recognizes a condensation with its forgotten events, and skips one without a summary", async () => {
    const condense = (id: number, summary: string | null) => ({
      id,
      source: "agent",
      action: "condensation",
      args: { forgotten_event_ids: [1], summary, summary_offset: 1 },
    });
    const session = await importSession(run(user, condense(2, "what was"), condense(3, null)));
    expect(session.messages[1]).toMatchObject({ origin: "compaction", parts: [{ text: "what was" }] });
    expect(session.compactions).toEqual([
      { messageId: session.messages[1]?.id, details: { forgotten_event_ids: [1], summary_offset: 1 } },
    ]);
    expect(session.nonPrompt.map(({ kind }) => kind)).toEqual(["action/condensation without a summary"]);
  });

  it("keeps system text, tools, recalled knowledge and errors for the model, and drops state changes", async () => {
    const system = { id: 0, action: "system", args: { content: "be brief", tools: [{ function: { name: "bash" } }] } };
    const recall = {
      id: 3,
      cause: 2,
      observation: "recall",
      content: "Added",
      extras: { microagent_knowledge: [{ content: "know" }] },
    };
    const bytes = run(
      system,
      user,
      { id: 2, source: "user", action: "recall", args: { query: "go" } },
      recall,
      { id: 4, observation: "error", content: "bad parameter", extras: {} },
      { id: 5, observation: "agent_state_changed", content: "", extras: {} },
    );
    const session = await importSession(bytes);
    expect(session.tools.map(({ name }) => name)).toEqual(["bash"]);
    expect(session.messages.map(({ role, origin, parts }) => [role, origin, parts.length])).toEqual([
      ["system", undefined, 1],
      ["user", undefined, 2],
      ["user", "harness", 2],
      ["user", "harness", 1],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "openhands" }))).toEqual([]);
  });

  it("reads runs of action-observation pairs, and reports invalid events", async () => {
    const session = await importSession(
      jsonDocument({ history: [[user, { observation: "null", content: "", extras: {} }], 7, [8]] }),
    );
    expect(session.messages.map(({ metadata: own }) => own?.source)).toEqual([{ line: 1, path: "/history/0/0" }]);
    expect(session.malformed.map(({ path }) => path)).toEqual(["/history/1", "/history/2/0"]);
  });

  it("selects one of several runs by instance name", async () => {
    const other = { instance_id: "i-2", history: [{ ...user, args: { content: "other" } }] };
    const bytes = jsonLines([{ instance_id: "i-1", history: [user] }, other]);
    const session = await importSession(bytes, { thread: "i-2" });
    expect(session.messages[0]?.parts).toEqual([{ type: "text", text: "other" }]);
    expect(session.warnings).toEqual([{ kind: "more-threads", thread: 2, threads: 2, names: ["i-1", "i-2"] }]);
  });
});

describe("openhandsImporter, request logs", () => {
  const first = { role: "assistant", content: "looking", tool_calls: [toolCall("c1")] };
  const log = (messages: readonly object[], answer: object) =>
    jsonDocument({
      messages,
      tools: [],
      kwargs: {},
      latency_sec: 1,
      response: { model: "claude", choices: [{ message: answer }] },
    });
  const begun = [
    { role: "system", content: [{ type: "text", text: "be brief" }] },
    { role: "user", content: [{ type: "text", text: "go" }] },
  ];
  const grown = [
    ...begun,
    { ...first, content: [{ type: "text", text: "looking" }] },
    { role: "tool", tool_call_id: "c1", content: "a" },
  ];

  it("extend one thread from log to log, and a separate one for another conversation with the same beginning", async () => {
    const [one, two, other] = await Promise.all([
      importSession(log(begun, first)),
      importSession(log(grown, { role: "assistant", content: "done" })),
      importSession(log(begun, { ...first, tool_calls: [toolCall("c9")] })),
    ]);
    expect(two.threadId).toBe(one.threadId);
    expect(two.messages.slice(0, 2)).toEqual(one.messages);
    expect(other.threadId).not.toBe(one.threadId);
    expect(await brokenLaws(importerLaws({ bytes: log(grown, first), format: "openhands" }))).toEqual([]);
  });
});
