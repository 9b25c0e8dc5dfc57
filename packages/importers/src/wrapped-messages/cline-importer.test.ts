import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument } from "../laws/importer-laws.ts";

const result = (content: unknown) => ({ type: "tool_result", tool_use_id: "t1", name: "read_files", content });
const bytes = jsonDocument({
  version: "1",
  sessionId: "s-1",
  system_prompt: "be brief",
  messages: [
    {
      id: "m1",
      role: "user",
      ts: 1_783_376_868_634,
      content: [
        { type: "text", text: "look" },
        { type: "file", path: "/a.ts", content: "const a = 1;" },
      ],
    },
    {
      id: "m2",
      role: "assistant",
      ts: 1_783_376_873_493,
      content: [{ type: "tool_use", id: "t1", name: "read_files", input: { files: [] } }],
      modelInfo: { id: "claude" },
      metrics: { inputTokens: 900, outputTokens: 7, cacheReadTokens: 600, cacheWriteTokens: 0 },
    },
    {
      id: "m3",
      role: "user",
      ts: 1_783_376_873_501,
      content: [result([{ query: "/a.ts", result: "", success: false }])],
    },
  ],
});

describe("clineImporter", () => {
  it("keeps Cline's ids, times, session and model, and includes the cache in the input once", async () => {
    const session = await importSession(bytes);
    expect([session.format, session.threadId, session.system]).toEqual(["cline", "s-1", ["be brief"]]);
    expect(session.messages.map(({ id, role, createdAt }) => [id, role, createdAt])).toEqual([
      ["m1", "user", "2026-07-06T22:27:48.634Z"],
      ["m2", "assistant", "2026-07-06T22:27:53.493Z"],
      ["m3", "tool", "2026-07-06T22:27:53.501Z"],
    ]);
    expect(session.messages[1]).toMatchObject({
      model: "claude",
      usage: { inputTokens: 900, outputTokens: 7, cacheReadTokens: 600, cacheWriteTokens: 0 },
    });
    expect(await brokenLaws(importerLaws({ bytes, format: "cline" }))).toEqual([]);
  });

  it("reads a file mentioned by the user as the text that the model reads", async () => {
    const { messages } = await importSession(bytes);
    expect(messages[0]?.parts[1]).toEqual({
      type: "text",
      text: '<file_content path="/a.ts">\nconst a = 1;\n</file_content>',
    });
  });

  it("knows what Cline itself wrote, and leaves out what only the user was shown", async () => {
    const place = (index: number) => ({ id: `m${index}`, ts: 1_783_376_868_634 + index });
    const noted = (role: string, text: string, metadata: object) => ({
      role,
      content: [{ type: "text", text }],
      metadata,
    });
    const bytes = jsonDocument({
      sessionId: "s1",
      messages: [
        { ...place(0), role: "user", content: "look" },
        { ...place(1), ...noted("user", "It was stopped.", { kind: "stop_notice", displayRole: "status" }) },
        { ...place(2), ...noted("assistant", "Compacted.", { displayOnly: true, displayRole: "status" }) },
      ],
    });
    const session = await importSession(bytes);
    expect(session.messages.map(({ id, origin }) => [id, origin])).toEqual([
      ["m0", undefined],
      ["m1", "harness"],
    ]);
    expect(session.nonPrompt).toEqual([{ kind: "shown in the transcript only", lines: [1], paths: ["/messages/2"] }]);
    expect(await brokenLaws(importerLaws({ bytes, format: "cline" }))).toEqual([]);
  });

  const said = [
    { role: "user", content: [{ type: "text", text: "<task>\nlook\n</task>" }], ts: 1_783_376_868_634 },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look.", reasoning_details: [], signature: "c2ln" },
        { type: "tool_use", id: "t1", name: "read_file", input: { path: "/a.ts" }, call_id: "c1", signature: "c2ln" },
      ],
      modelInfo: { modelId: "claude", providerId: "openai", mode: "plan" },
      metrics: { tokens: { prompt: 900, completion: 7, cached: 600 } },
      ts: 1_783_376_873_494,
    },
    { role: "user", content: [{ type: "text", text: "[read_file for '/a.ts'] Result:\nconst a = 1;" }] },
  ];

  it("reads the history that the editor keeps, a list of messages with its models and metrics", async () => {
    const history = jsonDocument(said);
    const session = await importSession(history);
    expect([session.format, session.model, session.messages.length]).toEqual(["cline", "claude", 3]);
    expect(session.messages[0]).toMatchObject({
      createdAt: "2026-07-06T22:27:48.634Z",
      metadata: { source: { path: "/0" } },
    });
    expect(session.messages[1]).toMatchObject({
      model: "claude",
      usage: { inputTokens: 900, outputTokens: 7, cacheReadTokens: 600 },
      parts: [
        { type: "text", text: "I look." },
        { type: "tool-call", toolName: "read_file", input: { path: "/a.ts" } },
      ],
    });
    expect(JSON.stringify(session.messages)).not.toMatch(/call_id|reasoning_details|signature/);
    expect(await brokenLaws(importerLaws({ bytes: history, format: "cline" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes: history, format: "cline" }))).toEqual([]);
  });

  const kept = (role: string, words: string, more: object = {}) => ({
    ...{ role, content: [{ type: "text", text: words }], ts: 1_783_376_868_634 },
    ...more,
  });
  const state = "<environment_details>\n# Current Time\n10:00\n</environment_details>";

  it("reads Roo Code's history: its own summary, what it hid, and reasoning that stands by itself", async () => {
    const reasoning = {
      type: "reasoning",
      encrypted_content: "c2VjcmV0",
      summary: [],
      id: "rs_1",
      ts: 1_783_376_868_700,
    };
    const history = jsonDocument([
      kept("user", "<user_message>\nlook\n</user_message>", { condenseParent: "n1" }),
      reasoning,
      said[1],
      { ...said[2], content: [result("const a = 1;"), { type: "text", text: state }] },
      kept("user", "What was done.", { isSummary: true, condenseId: "n1" }),
      kept("user", "Earlier messages are hidden.", { isTruncationMarker: true, truncationId: "n2" }),
      kept("assistant", "Done."),
    ]);
    const session = await importSession(history);
    expect([session.format, session.malformed, session.nonPrompt]).toEqual([
      "cline",
      [],
      [{ kind: "reasoning", lines: [1], paths: ["/1"] }],
    ]);
    expect(session.messages.map(({ role, origin }) => [role, origin])).toEqual([
      ["user", undefined],
      ["assistant", undefined],
      ["tool", undefined],
      ["user", "harness"],
      ["user", "compaction"],
      ["user", "harness"],
      ["assistant", undefined],
    ]);
    expect(session.compactions).toEqual([{ messageId: session.messages[4]?.id }]);
    expect(await brokenLaws(importerLaws({ bytes: history, format: "cline" }))).toEqual([]);
  });

  it("keeps thoughts of any provider as thoughts, and no block that only one provider understands", async () => {
    const answer = {
      ...said[1],
      content: [
        { type: "reasoning", text: "hm", summary: [] },
        { type: "reasoning", encrypted_content: "c2VjcmV0", summary: [], id: "rs_1" },
        { type: "thoughtSignature", thoughtSignature: "c2ln" },
        { type: "thinking", thinking: "so", signature: "c2ln" },
        { type: "text", text: "I look." },
      ],
    };
    const { messages } = await importSession(jsonDocument([said[0], answer]));
    expect(messages[1]?.parts).toEqual([
      { type: "reasoning", text: "hm", provider: "anthropic" },
      { type: "reasoning", text: "so", provider: "anthropic", signature: "c2ln" },
      { type: "text", text: "I look." },
    ]);
  });

  const image = "iVBORw0KGgo=";
  const called = (toolCallId: string, input: object) => ({
    ...{ type: "tool-call", toolCallId, toolName: "read_file", input },
    providerOptions: { google: { thoughtSignature: "c2ln" } },
  });
  const answering = (toolCallId: string, output: unknown) => ({
    ...{ type: "tool-result", toolCallId, toolName: "read_file", output },
  });
  const enveloped = jsonDocument({
    version: 2,
    messages: [
      kept("user", "<user_message>\nlook\n</user_message>"),
      { type: "reasoning", encrypted_content: "c2VjcmV0", summary: [], ts: 1_783_376_868_700 },
      {
        role: "assistant",
        content: [
          {
            ...{ type: "reasoning", text: "hm" },
            providerOptions: { bedrock: { signature: "c2ln" }, anthropic: { signature: "c2ln" } },
          },
          { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "c2VjcmV0" } } },
          { type: "text", text: "I look.", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
          called("c1", { path: "a.ts" }),
          called("c2", { path: "b.ts" }),
          called("c3", { path: "c.png" }),
        ],
        ts: 1_783_376_873_494,
      },
      {
        role: "tool",
        content: [
          answering("c1", { type: "text", value: "const a = 1;" }),
          answering("c2", { type: "text", value: "[ERROR] no such file" }),
          answering("c3", {
            type: "content",
            value: [
              { type: "text", text: "c.png" },
              { type: "media", data: image, mediaType: "image/png" },
            ],
          }),
        ],
        ts: 1_783_376_873_500,
      },
      kept("user", state),
      kept("user", "What was done.", { isSummary: true, condenseId: "n1" }),
      {
        role: "user",
        content: [
          { type: "text", text: "And this?" },
          { type: "image", image: `data:image/png;base64,${image}`, mediaType: "image/png" },
        ],
        ts: 1_783_376_873_600,
      },
    ],
  });

  it("reads the newer history of Roo Code, an envelope with messages of the AI SDK", async () => {
    const session = await importSession(enveloped);
    expect([session.format, session.malformed, session.nonPrompt]).toEqual([
      "cline",
      [],
      [{ kind: "reasoning", lines: [1], paths: ["/messages/1"] }],
    ]);
    expect(session.messages.map(({ role, origin }) => [role, origin])).toEqual([
      ["user", undefined],
      ["assistant", undefined],
      ["tool", undefined],
      ["tool", undefined],
      ["tool", undefined],
      ["user", "harness"],
      ["user", "compaction"],
      ["user", undefined],
    ]);
    expect(session.messages[1]).toMatchObject({
      createdAt: "2026-07-06T22:27:53.494Z",
      parts: [
        { type: "reasoning", text: "hm", provider: "anthropic", signature: "c2ln" },
        { type: "reasoning", text: "", provider: "anthropic", encrypted: "c2VjcmV0" },
        { type: "text", text: "I look." },
        { type: "tool-call", callId: "c1", toolName: "read_file", input: { path: "a.ts" } },
        ...["c2", "c3"].map((callId) => ({ callId })),
      ],
    });
    expect(session.messages.slice(2, 5).map(({ parts }) => parts)).toMatchObject([
      [{ result: { callId: "c1", outcome: "success", content: { type: "text", text: "const a = 1;" } } }],
      [{ result: { callId: "c2", outcome: "failure" } }],
      [{ result: { callId: "c3", content: { type: "blocks", blocks: [{ text: "c.png" }, { type: "image" }] } } }],
    ]);
    const shown = { type: "image", source: { kind: "base64", mediaType: "image/png", data: image } };
    expect(session.messages.at(-1)?.parts).toEqual([{ type: "text", text: "And this?" }, shown]);
    expect(JSON.stringify(session.messages)).not.toMatch(/providerOptions|thoughtSignature|cacheControl|bedrock/);
    expect(await brokenLaws(importerLaws({ bytes: enveloped, format: "cline" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes: enveloped, format: "cline" }))).toEqual([]);
  });

  it("reads results of every kind in such an envelope, and those that an older version wrote", async () => {
    const outcomeOf = async (output: unknown) => {
      const messages = [
        kept("user", "look"),
        { role: "assistant", content: [called("t1", {})], ts: 1_783_376_873_494 },
        { role: "tool", content: [answering("t1", output)] },
      ];
      const session = await importSession(jsonDocument({ version: 2, messages }));
      const [part] = session.messages[2]?.parts ?? [];
      return part?.type === "tool-result" && [part.result.outcome, part.result.content];
    };
    const text = (words: string) => ({ type: "text", text: words });
    expect(await outcomeOf("plain")).toEqual(["success", text("plain")]);
    expect(await outcomeOf({ type: "error-text", value: "gone" })).toEqual(["failure", text("gone")]);
    expect(await outcomeOf({ type: "json", value: { a: 1 } })).toEqual(["success", { type: "json", value: { a: 1 } }]);
    const refused = '{"status":"error"}';
    expect(await outcomeOf({ type: "text", value: refused })).toEqual(["failure", text(refused)]);
    const legacy = [kept("user", "look"), said[1], { role: "user", content: [result("const a = 1;")] }];
    const { messages } = await importSession(jsonDocument({ version: 2, messages: legacy }));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("takes no other document with messages for such an envelope", async () => {
    const messages = ["user", "assistant"].map((role) => ({ role, content: [called("c1", {})] }));
    expect((await importSession(jsonDocument({ version: 2, messages }))).format).toBe("ai-sdk");
    const timed = messages.map((message) => ({ ...message, ts: 1_783_376_868_634 }));
    expect((await importSession(jsonDocument({ version: 1, messages: timed }))).format).toBe("ai-sdk");
  });

  it("starts no turn where nobody typed: below results, and in a message with nothing but them", async () => {
    const answered = (words: string) => kept("user", `[ask_followup_question for 'Which?'] Result:\n${words}`);
    const history = jsonDocument([
      kept("user", "<task>\nlook\n</task>"),
      said[1],
      { ...said[2], content: [...(said[2]?.content ?? []), { type: "text", text: state }] },
      said[1],
      answered("<answer>\nBoth.\n</answer>"),
      said[1],
      kept("user", "And now this."),
    ]);
    const { messages } = await importSession(history);
    expect(messages.filter(({ role }) => role === "user").map(({ origin }) => origin)).toEqual([
      undefined,
      "harness",
      undefined,
      undefined,
    ]);
  });

  it.each([
    ["failure", '{"status":"error","message":"The tool execution failed","error":"ENOENT"}'],
    ["failure", '{"status":"denied","feedback":"no"}'],
    ["failure", "The user denied this operation."],
    ["failure", "The tool execution failed with the following error:\n<error>\nENOENT\n</error>"],
    ["failure", "Unable to apply diff to file: /a.ts\n\n<error_details>\nNo match\n</error_details>"],
    ["failure", "Missing value for required parameter 'path'. Please retry with complete response."],
    [
      "failure",
      "Command executed in terminal within working directory '/w'. Command execution was not successful, inspect the cause and adjust as needed.\nExit code: 1\nOutput:\nred",
    ],
    ["failure", "Command executed in terminal '/w'. Process terminated by signal SIGTERM"],
    ["success", "Command executed in terminal '/w'. Exit code: 0\nOutput:\nCommand execution was not successful"],
    ["success", '{"status":"approved","feedback":"yes"}'],
    ["success", '{"path":"a.ts","operation":"modified"}'],
    ["success", 'File: a.json\n1 | {"status":"error"}'],
  ])("knows by the harness's own words that a call failed or was refused: %s, %s", async (outcome, words) => {
    for (const content of [words, [{ type: "text", text: words }]]) {
      const history = jsonDocument([said[0], said[1], { ...said[2], content: [result(content)] }]);
      const { messages } = await importSession(history);
      expect(messages[2]?.parts).toMatchObject([{ result: { outcome, content: { type: "text", text: words } } }]);
    }
  });

  it("reads an older history, which has no models, when asked to", async () => {
    const older = jsonDocument(said.map(({ role, content }) => ({ role, content: content.slice(0, 1) })));
    expect((await importSession(older, { format: "cline" })).messages).toHaveLength(3);
    expect((await importSession(older)).format).not.toBe("cline");
    const plain = jsonDocument([{ role: "user", content: "look" }]);
    await expect(importSession(plain, { format: "cline" })).rejects.toMatchObject({ code: "WRONG_FORMAT" });
  });

  it("keeps a result that is a list of objects as JSON, and marks it failed if every entry failed", async () => {
    const { messages } = await importSession(bytes);
    expect(messages[2]?.parts).toEqual([
      {
        type: "tool-result",
        result: {
          callId: "t1",
          toolName: "read_files",
          outcome: "failure",
          content: { type: "json", value: [{ query: "/a.ts", result: "", success: false }] },
        },
      },
    ]);
  });
});
