import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

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

  it.each(["trajectory", "events", "items"])(
    "reads the answer of a server with its events in %s, and bytes as bytes",
    async (key) => {
      const shown = { ...user, args: { content: "go", image_urls: ["data:image/png;base64,aGk="] } };
      const bytes = jsonDocument({ [key]: [shown, action(2, "c1", "c1"), observation(3, "c1")], next_page_id: null });
      const { format, messages } = await importSession(bytes);
      expect([format, ...messages.map(({ role }) => role)]).toEqual(["openhands", "user", "assistant", "tool"]);
      expect(messages[0]?.parts[1]).toMatchObject({ source: { kind: "base64", mediaType: "image/png", data: "aGk=" } });
      expect(await brokenLaws(importerLaws({ bytes, format: "openhands" }))).toEqual([]);
    },
  );

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

describe("openhandsImporter, events of version 1", () => {
  let ids = 0;
  const event = (kind: string, source: string, fields: object) => ({
    ...{ id: `e${++ids}`, timestamp: `2025-12-29T10:00:${String(ids % 60).padStart(2, "0")}.123456`, source },
    ...{ ...fields, kind },
  });
  const text = (words: string) => ({ type: "text", text: words, cache_prompt: false });
  const asked = event("MessageEvent", "user", {
    llm_message: { role: "user", content: [text("go"), { type: "image", image_urls: ["https://x/a.png"] }] },
    extended_content: [text("Know this.")],
  });
  const acting = (callId: string, thought: readonly string[], more: object = {}) =>
    event("ActionEvent", "agent", {
      ...{ thought: thought.map(text), thinking_blocks: [], action: { command: "ls", kind: "TerminalAction" } },
      ...{ tool_name: "terminal", tool_call_id: callId, llm_response_id: "r1" },
      tool_call: {
        id: callId,
        name: "terminal",
        arguments: '{"command":"ls","summary":"lists"}',
        origin: "completion",
      },
      ...more,
    });
  const answering = { tool_name: "terminal", action_id: "e1" };
  const observed = (callId: string, exit: number, more: object = {}) =>
    event("ObservationEvent", "environment", {
      ...{ ...answering, tool_call_id: callId },
      observation: {
        ...{ content: [text("a.txt")], is_error: false, exit_code: exit, kind: "TerminalObservation" },
        metadata: { exit_code: exit, prefix: "", suffix: `\n[The command completed with exit code ${exit}.]` },
        ...more,
      },
    });
  const system = event("SystemPromptEvent", "agent", {
    ...{ system_prompt: text("be brief"), dynamic_context: text("today") },
    tools: [{ type: "function", function: { name: "terminal", parameters: { type: "object" } } }],
  });
  const log = [
    system,
    asked,
    event("ConversationStateUpdateEvent", "environment", { key: "execution_status", value: "running" }),
    acting("c1", ["looking"], {
      reasoning_content: "hm",
      thinking_blocks: [{ type: "thinking", thinking: "hm", signature: "c2ln" }],
    }),
    acting("c2", []),
    observed("c1", 0),
    observed("c2", 2),
    acting("c3", [], { llm_response_id: "r2" }),
    event("UserRejectObservation", "environment", { ...answering, tool_call_id: "c3", rejection_reason: "not now" }),
    acting("c4", [], { llm_response_id: "r3", action: null }),
    event("AgentErrorEvent", "agent", { ...answering, tool_call_id: "c4", error: "bad arguments" }),
    acting("c5", [], { llm_response_id: "r4" }),
    observed("c5", -1),
    event("Condensation", "environment", { forgotten_event_ids: ["e2"], summary: "what was", summary_offset: 1 }),
    event("MessageEvent", "agent", { llm_message: { role: "assistant", content: [text("done")] } }),
  ];

  it.each([
    ["one event per line", jsonLines(log)],
    ["a list", jsonDocument(log)],
    ["a benchmark's run", jsonLines([{ instance_id: "i-1", history: log, metadata: {} }])],
  ])("reads %s: calls of a response together, results with their outcome, a condensation", async (_, bytes) => {
    const session = await importSession(bytes);
    expect([session.format, session.malformed, session.tools.map(({ name }) => name)]).toEqual([
      "openhands",
      [],
      ["terminal"],
    ]);
    expect(session.messages.map(({ role, origin }) => (origin === undefined ? role : origin))).toEqual([
      ...["system", "user", "harness", "assistant", "tool", "tool", "assistant", "tool", "assistant", "tool"],
      ...["assistant", "tool", "compaction", "assistant"],
    ]);
    expect(session.messages[0]?.parts).toEqual([
      { type: "text", text: "be brief" },
      { type: "text", text: "today" },
    ]);
    expect(session.messages[1]?.parts).toEqual([
      { type: "text", text: "go" },
      { type: "image", source: { kind: "url", url: "https://x/a.png" } },
    ]);
    expect(session.messages[2]?.parts).toEqual([{ type: "text", text: "Know this." }]);
    expect(session.messages[3]?.parts).toMatchObject([
      { type: "reasoning", text: "hm", provider: "anthropic", signature: "c2ln" },
      { type: "text", text: "looking" },
      { type: "tool-call", callId: "c1", toolName: "terminal", input: { command: "ls", summary: "lists" } },
      { type: "tool-call", callId: "c2" },
    ]);
    const results = session.messages.flatMap(({ parts: [part] }) =>
      part?.type === "tool-result" ? [part.result] : [],
    );
    expect(results.map(({ callId, outcome, content }) => [callId, outcome, content])).toEqual([
      ["c1", "success", { type: "text", text: "a.txt\n[The command completed with exit code 0.]" }],
      ["c2", "failure", { type: "text", text: "a.txt\n[The command completed with exit code 2.]" }],
      ["c3", "failure", { type: "text", text: "Action rejected: not now" }],
      ["c4", "failure", { type: "text", text: "bad arguments" }],
      ["c5", "partial", { type: "text", text: "a.txt\n[The command completed with exit code -1.]" }],
    ]);
    expect(session.compactions).toMatchObject([
      { messageId: session.messages[12]?.id, details: { forgotten_event_ids: ["e2"], summary_offset: 1 } },
    ]);
    expect(session.nonPrompt.map(({ kind }) => kind)).toEqual(["event/ConversationStateUpdateEvent"]);
    expect(session.messages[1]?.createdAt).toMatch(/^2025-12-29T10:00:\d\d\.123Z$/);
    expect(await brokenLaws(importerLaws({ bytes, format: "openhands" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "openhands" }))).toEqual([]);
  });

  it("reads what comes with a user's message, whatever the event's id is", async () => {
    const odd = { ...asked, id: { toString: null, valueOf: null } };
    const { messages } = await importSession(jsonLines([...log, odd]));
    expect(messages.slice(-2).map(({ role, origin }) => [role, origin])).toEqual([
      ["user", undefined],
      ["user", "harness"],
    ]);
  });

  it("reads the arguments of an action whose call is missing", async () => {
    const { tool_call: _call, ...acted } = acting("c1", []) as unknown as Record<string, unknown>;
    const { messages } = await importSession(jsonLines([asked, acted]));
    expect(messages[2]?.parts).toMatchObject([{ type: "tool-call", callId: "c1", input: { command: "ls" } }]);
  });

  it("reports events of a kind that it does not know, and skips those that no model is sent", async () => {
    const event = (kind: string) => ({ id: kind, timestamp: "2025-12-29T10:00:00.000000", source: "agent", kind });
    const known = ["TokenEvent", "PauseEvent", "InterruptEvent", "HookExecutionEvent", "ConversationErrorEvent"];
    const { warnings, nonPrompt } = await importSession(jsonLines([asked, ...known.map(event), event("NovelEvent")]));
    expect(warnings).toEqual([{ kind: "unknown-record", type: "event/NovelEvent", count: 1, firstLine: 7 }]);
    expect(nonPrompt.map(({ kind }) => kind)).toEqual([...known, "NovelEvent"].map((kind) => `event/${kind}`));
  });

  it("tells a result that says that it failed, and keeps the pictures of one", async () => {
    const failed = observed("c1", -1, { is_error: true });
    const shown = {
      content: [text("a page"), { type: "image", image_urls: ["data:image/png;base64,aGk="] }],
      metadata: undefined,
    };
    const { messages } = await importSession(
      jsonLines([asked, acting("c1", []), failed, acting("c2", []), observed("c2", 0, shown)]),
    );
    const results = messages.flatMap(({ parts: [part] }) => (part?.type === "tool-result" ? [part.result] : []));
    expect(results.map(({ outcome }) => outcome)).toEqual(["failure", "success"]);
    expect(results[1]?.content).toMatchObject({
      type: "blocks",
      blocks: [{ text: "a page" }, { type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } }],
    });
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
