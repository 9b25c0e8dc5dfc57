import type { ScriptedCall } from "../script/scripted-agent.ts";
import { type Body, type ProviderProtocol, type Refusal, type StreamEvent, withoutMarks } from "./provider-protocol.ts";

interface Block extends Body {
  readonly type: string;
}

/** Anthropic Messages, streamed or whole. */
export const anthropicMessagesProtocol: ProviderProtocol = {
  format: "anthropic-messages",
  path: "/v1/messages",
  pieces: ({ tools, system, messages }) => [
    withoutMarks(tools ?? []),
    withoutMarks(system ?? []),
    ...(messages as readonly unknown[]).map(withoutMarks),
  ],
  answer: ({ text, calls }, { id, inputTokens, cachedTokens, outputTokens, cutOff }) => ({
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: "claude-scripted",
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map((call, index) => toolUse(call, cutOff && index === calls.length - 1)),
    ],
    stop_reason: cutOff ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: inputTokens - cachedTokens,
      cache_read_input_tokens: cachedTokens,
      cache_creation_input_tokens: 0,
      output_tokens: outputTokens,
    },
  }),
  stream: ({ content, stop_reason, usage, ...message }) => [
    named("message_start", { message: { ...message, content: [], stop_reason: null, usage } }),
    ...(content as readonly Block[]).flatMap(blockEvents),
    named("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }),
    named("message_stop", {}),
  ],
  refuse: (refusal) => {
    const { status, type, message } = refused(refusal);
    return { status, body: { type: "error", error: { type, message } } };
  },
};

const toolUse = ({ id, name, input }: ScriptedCall, cutOff: boolean): Block => ({
  type: "tool_use",
  id: `toolu_${id}`,
  name,
  // What was cut off is JSON that ends early; the API returns the fields that were whole.
  input: cutOff ? {} : input,
});

const named = (type: string, data: Body): StreamEvent => ({ name: type, data: { type, ...data } });

function blockEvents(block: Block, index: number): readonly StreamEvent[] {
  const isText = block.type === "text";
  const empty = isText ? { type: "text", text: "" } : { ...block, input: {} };
  const delta = isText
    ? { type: "text_delta", text: block["text"] }
    : { type: "input_json_delta", partial_json: JSON.stringify(block["input"]) };
  return [
    named("content_block_start", { index, content_block: empty }),
    named("content_block_delta", { index, delta }),
    named("content_block_stop", { index }),
  ];
}

function refused(refusal: Refusal): { readonly status: number; readonly type: string; readonly message: string } {
  switch (refusal.kind) {
    case "illegal":
      return { status: 400, type: "invalid_request_error", message: refusal.message };
    case "overflow": {
      const message = `prompt is too long: ${refusal.tokens} tokens > ${refusal.limit} maximum`;
      return { status: 400, type: "invalid_request_error", message };
    }
    case "rate-limit":
      return { status: 429, type: "rate_limit_error", message: "This request would exceed your rate limit." };
    case "server-error":
      return { status: 500, type: "api_error", message: "Internal server error" };
  }
}
