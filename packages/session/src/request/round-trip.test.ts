import { AgentThread, asThreadId, emptyPlan, type JsonObject, TokenLedger } from "@threadfold/core";
import { countingTokenizer } from "@threadfold/core/laws";
import { importSession } from "@threadfold/importers";
import { type FormatId, formatById, renderRequest } from "@threadfold/renderer";
import { describe, expect, it } from "vitest";

/** Imports a request body and renders the thread for the same provider with a plan that folds nothing. */
async function roundTrip(
  body: JsonObject,
  format: "anthropic-messages" | "openai-chat" | "openai-responses" | "ai-sdk",
) {
  const rendered = await renderAgain(body, format);
  expect(rendered.imported).toBe(format);
  return rendered;
}

/** The same for any provider. */
async function renderAgain(body: JsonObject, format: FormatId) {
  const imported = await importSession(new TextEncoder().encode(JSON.stringify(body)));
  const thread = AgentThread.empty(imported.threadId).append(imported.messages);
  const ledger = TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread);
  const { system, tools } = imported;
  const provider = formatById(format);
  const input = { thread, plan: emptyPlan(thread.id, "test"), ledger, system, tools };
  const { request, manifest, warnings } = renderRequest(input, provider);
  const { payload } = provider.lower(request);
  expect(provider.check(payload, manifest)).toEqual([]);
  expect(provider.check(payload)).toEqual([]);
  return { payload, warnings, imported: imported.format };
}

const cacheControl = { cacheControl: { type: "ephemeral" } };
const cached = { cache_control: { type: "ephemeral" } };
const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" } };
const text = (value: string, more: JsonObject = {}) => ({ type: "text", text: value, ...more });

describe("a request imported and rendered again with nothing folded", () => {
  it("keeps Anthropic's own shape: signatures, compaction, markers, citations, ids, media", async () => {
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
    const manual = {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "AA==" },
      title: "manual.pdf",
      context: "the older one",
      citations: { enabled: true },
    };
    const body = {
      system: [text("You are careful."), text("The manual: turn it.", cached)],
      tools: [
        { name: "read", description: "Reads.", input_schema: { type: "object" }, strict: true, ...cached },
        { type: "web_search_20250305", name: "web_search", max_uses: 3 },
      ],
      messages: [
        {
          role: "assistant",
          content: [{ type: "compaction", content: "What was.", encrypted_content: "b64==" }, text("On.")],
        },
        { role: "user", content: [text("Look.", cached), picture, manual] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "c2ln" },
            { type: "redacted_thinking", data: "ZGF0YQ==" },
            text("It says so.", { citations: [{ type: "page_location", cited_text: "so", document_index: 0 }] }),
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "so" } },
            {
              type: "web_search_tool_result",
              tool_use_id: "srvtoolu_1",
              content: [{ type: "web_search_result", url: "https://example.com", encrypted_content: "ZQ==" }],
            },
            { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" }, caller: { type: "direct" } },
            { type: "tool_use", id: "toolu_2", name: "read", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: [text("a picture"), picture], ...cached },
            { type: "tool_result", tool_use_id: "toolu_2", content: "no such file", is_error: true },
            text("And now?"),
          ],
        },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_3", name: "read", input: {} }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_3",
              content: [{ type: "tool_reference", tool_name: "read" }, text("found")],
            },
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "plain" },
              citations: { enabled: true },
            },
          ],
        },
      ],
    };
    const { payload, warnings } = await roundTrip(body, "anthropic-messages");
    expect(payload).toEqual(body);
    expect(warnings).toEqual([]);
  });

  it("keeps OpenAI Responses' own shape, with the items by which the host answers", async () => {
    const user = (content: string) => ({ type: "message", role: "user", content });
    const said = (content: string) => ({ type: "message", role: "assistant", content });
    const screenshot = { type: "computer_screenshot", image_url: "data:image/png;base64,AA==" };
    const body = {
      input: [
        user("Tidy the page."),
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" },
        { type: "computer_call", id: "cu_1", call_id: "c1", status: "completed", action: { type: "screenshot" } },
        { type: "computer_call_output", call_id: "c1", output: screenshot },
        { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "ZW5j" },
        { type: "apply_patch_call", id: "ap_1", call_id: "p1", operation: { type: "delete_file", path: "a.ts" } },
        { type: "apply_patch_call", id: "ap_2", call_id: "p2", operation: { type: "delete_file", path: "b.ts" } },
        { type: "apply_patch_call_output", call_id: "p1", status: "completed" },
        { type: "apply_patch_call_output", call_id: "p2", status: "failed" },
        said("One is gone."),
        { type: "mcp_approval_request", id: "m1", server_label: "wiki", name: "edit", arguments: "{}" },
        { type: "mcp_approval_response", approval_request_id: "m1", approve: true },
        { type: "tool_search_call", execution: "client", call_id: "s1", arguments: {} },
        { type: "tool_search_output", execution: "client", call_id: "s1", tools: [] },
        said("Done."),
        user("Thanks."),
      ],
      store: false,
    };
    const { payload, warnings } = await roundTrip(body, "openai-responses");
    expect(payload).toEqual(body);
    expect(warnings).toEqual([]);
    // An answer of the host's is nobody's speech: it belongs to no answer of the model, and starts no turn.
    const { messages } = await importSession(new TextEncoder().encode(JSON.stringify(body)));
    const thread = AgentThread.empty(asThreadId("t")).append(messages);
    expect([...thread.messages].map(({ role, turn, step }) => [role, turn, step].join(" "))).toEqual([
      ...["user 1 0", "assistant 1 1", "user 1 1", "assistant 1 2", "user 1 2", "user 1 2", "assistant 1 3"],
      ...["user 1 3", "assistant 1 4", "user 1 4", "assistant 1 5", "user 2 5"],
    ]);
  });

  it("keeps OpenAI Chat's own shape: refusals, details, breakpoints, sound, free-text calls, strict tools", async () => {
    const call = (id: string, args: string, more: JsonObject = {}) => ({
      id,
      type: "function",
      function: { name: "read", arguments: args },
      ...more,
    });
    const body = {
      tools: [
        {
          type: "function",
          function: {
            name: "read",
            description: "Reads.",
            parameters: { type: "object", properties: {} },
            strict: true,
          },
        },
      ],
      messages: [
        { role: "system", content: "You are careful." },
        { role: "developer", name: "ops", content: [text("Be brief."), text("Be kind.", breakpoint)] },
        {
          role: "user",
          name: "ada",
          content: [
            text("Look.", breakpoint),
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==", detail: "low" }, ...breakpoint },
            { type: "image_url", image_url: { url: "https://example.com/a.png" } },
            { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
            { type: "file", file: { file_id: "file-1" } },
            { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" } },
          ],
        },
        {
          role: "assistant",
          name: "helper",
          content: "I read.",
          tool_calls: [
            call("call_1", '{"path":"a"}', { extra_content: { google: { thought_signature: "c2ln" } } }),
            call("call_2", "{}"),
            { id: "call_3", type: "custom", custom: { name: "patch", input: "*** Begin" } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "a" },
        { role: "tool", tool_call_id: "call_2", content: "" },
        { role: "tool", tool_call_id: "call_3", content: [text("done", breakpoint)] },
        { role: "developer", content: "No more patches." },
        { role: "user", content: "Understood?" },
        { role: "assistant", content: [{ type: "refusal", refusal: "That I will not do." }] },
        { role: "user", content: "Then this." },
      ],
    };
    const { payload, warnings } = await roundTrip(body, "openai-chat");
    expect(payload).toEqual(body);
    expect(warnings).toEqual([]);
  });

  it("keeps OpenAI Responses' own shape: instructions, breakpoints, encrypted reasoning, ids, compaction", async () => {
    const body = {
      store: false,
      instructions: "You are careful.",
      tools: [
        {
          type: "function",
          name: "read",
          description: "Reads.",
          parameters: { type: "object", properties: {} },
          strict: false,
        },
      ],
      input: [
        { type: "message", role: "system", content: "Nobody writes." },
        {
          type: "message",
          role: "developer",
          content: [
            { type: "input_text", text: "Be brief." },
            { type: "input_text", text: "Be kind.", ...breakpoint },
          ],
        },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Look.", ...breakpoint }] },
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "b64==" },
        {
          type: "message",
          role: "assistant",
          id: "msg_1",
          status: "completed",
          content: [{ type: "output_text", text: "I read.", annotations: [] }],
        },
        { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
        { type: "function_call_output", call_id: "call_1", output: "a" },
        { type: "compaction", encrypted_content: "c29tZQ==" },
        { type: "message", role: "developer", content: "Now read only." },
        { type: "message", role: "system", content: "And say so." },
        { type: "message", role: "user", content: "Then this." },
      ],
    };
    const { payload, warnings } = await roundTrip(body, "openai-responses");
    expect(payload).toEqual(body);
    expect(warnings).toEqual([]);
  });

  it("keeps numbers that no double can hold as the model wrote them, in every call's arguments", async () => {
    const args = '{"snowflake": 1234567890123456789, "ids":[-9007199254740993,7],"at":1700000000000000123}';
    const chat = {
      messages: [
        { role: "user", content: "Ban them." },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: { name: "ban", arguments: args } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "banned" },
      ],
    };
    expect((await roundTrip(chat, "openai-chat")).payload).toEqual(chat);
    const input = [
      { type: "message", role: "user", content: "Ban them." },
      { type: "function_call", call_id: "call_1", name: "ban", arguments: args },
      { type: "function_call_output", call_id: "call_1", output: "banned" },
    ];
    expect((await roundTrip({ input }, "openai-responses")).payload).toEqual({ input, store: false });
    expect(JSON.stringify((await renderAgain(chat, "anthropic-messages")).payload)).toContain("1234567890123456800");
  });

  it("keeps the AI SDK's own shape: instructions, reasoning, provider options, calls and results", async () => {
    const body = {
      instructions: [
        { role: "system", content: "You are careful." },
        { role: "system", content: "The manual: turn it.", providerOptions: { anthropic: cacheControl } },
      ],
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "Look.", providerOptions: { anthropic: cacheControl } }],
          providerOptions: { bedrock: { cachePoint: { type: "default" } } },
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "c2ln" } } },
            { type: "text", text: "I read." },
            { type: "tool-call", toolCallId: "call_1", toolName: "read", input: { path: "a" } },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "call_1", toolName: "read", output: { type: "text", value: "a" } },
          ],
        },
        { role: "user", content: [{ type: "text", text: "Then this." }] },
      ],
    };
    const { payload, warnings } = await roundTrip(body, "ai-sdk");
    expect(payload).toEqual(body);
    expect(warnings).toEqual([]);
  });

  it("names each field that has no place at another provider", async () => {
    const body = {
      messages: [
        { role: "system", content: "You are careful." },
        { role: "developer", content: [text("Be brief.", breakpoint)] },
        { role: "user", name: "ada", content: "Look." },
      ],
    };
    const names = { names: ["openai.role", "openai.prompt_cache_breakpoint", "openai.name"] };
    const lost = { kind: "field-left-out", messageIds: [expect.any(String)] };
    for (const format of ["anthropic-messages", "gemini"] as const)
      expect((await renderAgain(body, format)).warnings, format).toEqual([{ ...lost, ...names }]);
    expect((await renderAgain(body, "ai-sdk")).warnings).toEqual([{ ...lost, names: ["openai.role", "openai.name"] }]);
    expect((await renderAgain(body, "openai-responses")).warnings).toEqual([{ ...lost, names: ["openai.name"] }]);
    expect((await renderAgain(body, "openai-chat")).warnings).toEqual([]);
    const { payload } = await renderAgain(body, "openai-responses");
    expect(payload["instructions"]).toBe("You are careful.");
    expect(payload["input"]).toEqual([
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief.", ...breakpoint }] },
      { type: "message", role: "user", content: "Look." },
    ]);
    const neutral = await renderAgain(body, "neutral");
    expect([neutral.warnings, neutral.payload["system"]]).toEqual([
      [],
      ["You are careful.", { text: "Be brief.", role: "developer", providerMetadata: { openai: breakpoint } }],
    ]);
  });
});
