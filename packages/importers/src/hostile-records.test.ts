import { gzipSync } from "node:zlib";
import { ThreadfoldError } from "@threadfold/core";
import { brokenLaws, patience, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSession } from "./importing/sessions.ts";
import { jsonDocument, jsonLines, sessionLaws } from "./laws/importer-laws.ts";
import type { ImportFormat } from "./session/imported-session.ts";

/** Words and fields that each format looks at, so that random records come near to its real ones. */
const VOCABULARY: Partial<Record<ImportFormat, readonly [words: readonly string[], keys: readonly string[]]>> = {
  codex: [
    ["message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "web_search_call", "c1"],
    ["type", "role", "content", "summary", "encrypted_content", "arguments", "call_id", "output", "name", "message"],
  ],
  "openai-responses": [
    ["message", "reasoning", "function_call", "function_call_output", "compaction", "input_text", "c1"],
    ["type", "role", "content", "summary", "arguments", "call_id", "output", "name", "text", "image_url", "id"],
  ],
  opencode: [
    ["text", "tool", "reasoning", "step-start", "step-finish", "compaction", "completed", "error", "msg_1", "prt_1"],
    ["id", "role", "type", "text", "tool", "callID", "state", "status", "output", "tokens", "summary", "message_id"],
  ],
  "gemini-cli": [
    ["user", "gemini", "info", "u1", "c1", "success", "error", "cancelled"],
    [
      "id",
      "type",
      "content",
      "toolCalls",
      "result",
      "functionResponse",
      "functionCall",
      "thoughts",
      "tokens",
      "$rewindTo",
    ],
  ],
  "copilot-cli": [
    ["t1", "a1", "bash", "skill-x", "<system_notification>", "anthropic", "image", "image/png", "threshold"],
    [
      ...["content", "transformedContent", "attachments", "toolRequests", "toolCallId", "name", "arguments", "source"],
      ...["result", "binaryResultsForLlm", "error", "success", "summaryContent", "apiCallId", "reasoningBlocks"],
      ...["serverTools", "parentToolCallId", "assetId", "data", "mimeType", "blocks", "provider", "items", "model"],
    ],
  ],
  "claude-code": [
    ["file", "queued_command", "invoked_skills", "task_reminder", "diagnostics", "mcp_resource", "image", "pdf"],
    ["type", "content", "file", "base64", "filename", "skills", "prompt", "files", "diagnostics", "range", "cells"],
  ],
  "vscode-chat": [
    ["a.ts", "<userRequest>", "r1", "c1", "image", "thinking", "inlineReference", "toolInvocationSerialized"],
    [
      ...["requestId", "message", "text", "result", "metadata", "renderedUserMessage", "renderedGlobalContext", "type"],
      ...["toolCallRounds", "toolCalls", "toolCallResults", "thinking", "hookContext", "variableData", "variables"],
      ...["imageUrl", "url", "kind", "value", "$base64", "mimeType", "response", "id", "toolId", "toolCallId"],
      ...["toolSpecificData", "resultDetails", "input", "output", "isText", "uri", "path", "pastTenseMessage"],
    ],
  ],
  goose: [
    ["text", "toolRequest", "toolResponse", "thinking", "image", "success", "error", "c1"],
    ["id", "role", "content", "type", "text", "toolCall", "toolResult", "status", "value", "working_dir", "metadata"],
  ],
  cline: [
    ["text", "tool_use", "tool_result", "file", "t1"],
    ["id", "role", "content", "type", "tool_use_id", "text", "path", "metrics", "modelInfo", "success", "name"],
  ],
  openhands: [
    ["message", "system", "run", "condensation", "recall", "error", "user", "agent", "5"],
    ["id", "action", "observation", "source", "args", "cause", "content", "extras", "summary", "tool_call_metadata"],
  ],
  "swe-agent": [
    ["system", "tool", "bash", "call_1", "observation"],
    ["role", "content", "tool_calls", "tool_call_ids", "is_demo", "function", "id", "name", "arguments"],
  ],
  "mini-swe-agent": [
    ["system", "exit", "bash"],
    ["role", "content", "extra", "response", "usage", "prompt_tokens", "tool_calls"],
  ],
  "tau-bench": [
    ["system", "tool", "call_1", "{}"],
    ["role", "content", "tool_calls", "tool_call_id", "function", "id", "name", "arguments"],
  ],
  "ai-sdk": [
    ["text", "tool-call", "tool-result", "tool-bash", "reasoning", "file", "step-start", "output-available", "c1"],
    ["role", "content", "parts", "type", "text", "toolCallId", "toolName", "output", "state", "providerOptions", "id"],
  ],
};

/** A source in the frame of a format, around records that may be anything. */
const FRAMES: Partial<Record<ImportFormat, (records: readonly unknown[]) => Uint8Array>> = {
  codex: (records) =>
    jsonLines([
      { type: "session_meta", payload: { id: "s" } },
      ...records.map((payload, index) => ({ type: TYPES[index % TYPES.length], payload })),
    ]),
  "openai-responses": (records) => jsonDocument({ object: "response", input: [ITEM, ...records], output: records }),
  opencode: (records) =>
    jsonLines([
      { table: "message", id: "msg_1", session_id: "ses_1", data: { role: "assistant" } },
      ...records.map((data, index) => ({ table: TABLES[index % 2], id: `x${index}`, message_id: "msg_1", data })),
    ]),
  "gemini-cli": (records) => jsonLines([{ sessionId: "s", projectHash: "p" }, GEMINI, ...records]),
  "copilot-cli": (records) =>
    jsonLines([
      { type: "session.start", data: { sessionId: "s" } },
      ...records.map((data, index) => ({ type: EVENTS[index % EVENTS.length], id: `e${index}`, data })),
    ]),
  "claude-code": (records) =>
    jsonLines([
      { type: "user", uuid: "u1", sessionId: "s", message: { role: "user", content: "go" } },
      ...records.map((attachment, index) => ({ type: "attachment", uuid: `a${index}`, parentUuid: "u1", attachment })),
    ]),
  "vscode-chat": (records) => jsonDocument({ version: 3, sessionId: "s", requests: [{ message: "go" }, ...records] }),
  goose: (records) => jsonLines([{ working_dir: "/w" }, GOOSE, ...records]),
  cline: (records) => jsonDocument({ sessionId: "s", messages: [{ id: "m", ts: 1, role: "user" }, ...records] }),
  openhands: (records) => jsonDocument({ history: [{ action: "message", args: {} }, ...records] }),
  "swe-agent": (records) => jsonDocument({ trajectory: [], history: [HELLO, ...records] }),
  "mini-swe-agent": (records) => jsonDocument({ trajectory_format: "mini-swe-agent-1", messages: [HELLO, ...records] }),
  "tau-bench": (records) => jsonDocument({ reward: 0, traj: [HELLO, ...records] }),
  "ai-sdk": (records) => jsonDocument([{ role: "tool", content: [{ type: "tool-result" }] }, ...records]),
};

const TYPES = ["response_item", "compacted", "event_msg", "turn_context"];
const EVENTS = [
  ...["user.message", "assistant.message", "tool.execution_start", "tool.execution_complete", "skill.invoked"],
  ...["session.compaction_complete", "session.binary_asset", "system.message", "assistant.reasoning"],
];
const TABLES = ["part", "message"];
const GEMINI = { id: "u1", type: "user", content: "go" };
const GOOSE = { role: "user", content: [{ type: "toolResponse", id: "c0", toolResult: "done" }] };
const HELLO = { role: "user", content: "go" };
const ITEM = { type: "function_call", call_id: "c1" };

function recordsOf(words: readonly string[], keys: readonly string[]): fc.Arbitrary<readonly unknown[]> {
  const { record } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.constantFrom(...words, "user", "assistant", "same", "\ud800", ""),
      fc.constantFrom(null, true, -1, 7, 1e308),
      fc.array(tie("value"), { maxLength: 3 }),
      tie("record"),
    ),
    record: fc.dictionary(fc.constantFrom(...keys, "__proto__", "constructor"), tie("value"), {
      maxKeys: 6,
      noNullPrototype: true,
    }),
  }));
  return fc.array(fc.oneof(record as fc.Arbitrary<unknown>, fc.constantFrom(null, 7, "x", [])), { maxLength: 8 });
}

/** A record that each format reads something out of, with a value that takes the place of the mark. */
const MARKED: Partial<Record<ImportFormat, readonly unknown[]>> = {
  codex: [
    { type: "function_call", call_id: "c1", name: "f", arguments: "@" },
    { message: "sum", replacement_history: ["@"] },
    { type: "token_count", info: "@" },
  ],
  "openai-responses": [{ type: "function_call", call_id: "c1", name: "f", arguments: "@" }],
  opencode: [{ type: "tool", callID: "c1", state: { status: "completed", input: "@", output: "x" } }],
  "gemini-cli": [
    { id: "g", type: "gemini", content: "", toolCalls: [{ id: "c1", name: "f", args: "@", result: "@" }] },
  ],
  "copilot-cli": [
    { content: "go", attachments: ["@"] },
    {
      content: "",
      toolRequests: [{ toolCallId: "t1", name: "f", arguments: "@" }],
      reasoningBlocks: { blocks: ["@"] },
    },
    { toolCallId: "t2", toolName: "f", arguments: "@" },
    { toolCallId: "t1", success: true, result: "@" },
  ],
  "claude-code": [{ type: "file", filename: "a", content: "@" }],
  "vscode-chat": [
    {
      ...{ message: "go", variableData: { variables: ["@"] } },
      result: {
        metadata: {
          ...{ renderedUserMessage: ["@"], toolCallResults: { c1: "@" } },
          toolCallRounds: [{ response: "", toolCalls: [{ id: "c1", name: "f" }], thinking: "@" }],
        },
      },
    },
    {
      message: "go",
      response: [
        { value: "@" },
        { kind: "toolInvocationSerialized", toolId: "f", toolSpecificData: "@", resultDetails: "@" },
      ],
    },
  ],
  goose: [{ role: "assistant", content: [{ type: "toolRequest", id: "c", toolCall: { value: { arguments: "@" } } }] }],
  cline: [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: "@" }] }],
  openhands: [{ source: "agent", action: "run", args: { command: "@" } }],
  "swe-agent": [{ role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: "@" } }] }],
  "mini-swe-agent": [{ role: "assistant", content: "@" }],
  "tau-bench": [{ role: "tool", tool_call_id: "c", content: "@" }],
  "ai-sdk": [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: "@" }] }],
};

describe("R27 every format gets over values nested 10 000 levels deep", () => {
  const nested = `${'{"a":['.repeat(5_000)}${"]}".repeat(5_000)}`;

  it.each(Object.keys(FRAMES) as ImportFormat[])("%s", async (format) => {
    const framed = new TextDecoder().decode(FRAMES[format]?.(MARKED[format] ?? []));
    expect(framed).toContain('"@"');
    const bytes = new TextEncoder().encode(framed.replaceAll('"@"', nested));
    for (const asked of ["auto", format] as const) {
      const session = await importSession(bytes, { format: asked });
      expect([session.format, await brokenLaws(sessionLaws(session))]).toEqual([format, []]);
    }
    const cut = gzipSync(bytes).subarray(0, 60);
    await expect(importSession(cut, { format })).rejects.toMatchObject({ code: "CORRUPT_ARCHIVE" });
  });
});

/** For each format: more than 20,000 inputs in all on every day, a million in the full run. */
const INPUTS = runs(2_300, 112_000);

describe("R27 every format ends in a session that keeps the laws or in a typed error, whatever its records hold", () => {
  it.each(Object.keys(FRAMES) as ImportFormat[])("%s", { timeout: patience(60_000, 6_000_000) }, async (format) => {
    const [words, keys] = VOCABULARY[format] ?? [[], []];
    let sessions = 0;
    await fc.assert(
      fc.asyncProperty(recordsOf(words, keys), async (records) => {
        try {
          const session = await importSession(FRAMES[format]?.(records) ?? new Uint8Array(), { format });
          expect(await brokenLaws(sessionLaws(session))).toEqual([]);
          sessions++;
        } catch (error) {
          if (!ThreadfoldError.isInstance(error)) throw error;
        }
      }),
      { ...INPUTS, seed: 7 },
    );
    expect(sessions).toBeGreaterThan(10);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
