import type { ScriptedCall } from "../script/scripted-agent.ts";
import {
  type Body,
  type ProviderProtocol,
  type Refusal,
  type SentStep,
  type StreamEvent,
  withoutMarks,
} from "./provider-protocol.ts";

interface Block extends Body {
  readonly type: string;
}

/** Anthropic Messages, streamed or whole. */
export const anthropicMessagesProtocol: ProviderProtocol = {
  format: "anthropic-messages",
  path: "/v1/messages",
  // One model thinks on a budget and must get its thinking back in an open loop; one always thinks adaptively, bound to
  // the prefix.
  models: ["claude-haiku-4-5", "claude-opus-5-5"],
  reasoning: {
    thinks: ({ thinking, model }) => thinking !== undefined || isBoundToPrefix(String(model)),
    refusalOf: ({ thinking, model }) =>
      isBoundToPrefix(String(model)) && (thinking as Block | undefined)?.type === "enabled"
        ? '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".'
        : null,
    steps: ({ messages }) => stepsOf(messages as readonly Message[]),
    without: (body) => ({ ...body, messages: (body["messages"] as readonly Message[]).map(unthinking) }),
    isBoundToPrefix,
  },
  pieces: ({ tools, system, messages }) => [
    withoutMarks(tools ?? []),
    withoutMarks(system ?? []),
    ...(messages as readonly unknown[]).map(withoutMarks),
  ],
  answer: ({ text, calls }, { id, model, thought, inputTokens, cachedTokens, outputTokens, cutOff }) => ({
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [
      ...(thought === undefined ? [] : [{ type: "thinking", thinking: thought.text, signature: thought.proof }]),
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

interface Message extends Body {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** Claude binds thinking to the prefix from Fable 5.1 and Opus 5.5 on. */
function isBoundToPrefix(model: string): boolean {
  return model.startsWith("claude-opus-5-5");
}

/** Returns how a host asks a model to think: on a budget up to Claude Opus 4.5, adaptively since. */
export const thinkingOf = (model: string) =>
  isBoundToPrefix(model) ? ({ type: "adaptive" } as const) : ({ type: "enabled", budget_tokens: 1_024 } as const);

/** Token limit of an answer; more than thinking may take of it. */
export const MAX_TOKENS = 4_000;

/** Number of pieces before the messages: a request consists of its tools, its system text and then its messages. */
const PIECES_BEFORE_MESSAGES = 2;

function stepsOf(messages: readonly Message[]): readonly SentStep[] {
  const asked = messages.findLastIndex(({ role, content }) => role === "user" && !blocksOf(content).some(isResult));
  return messages.flatMap(({ role, content }, index) => {
    if (role !== "assistant") return [];
    const blocks = blocksOf(content);
    return [
      {
        piece: index + PIECES_BEFORE_MESSAGES,
        calls: blocks.flatMap(({ type, id }) => (type === "tool_use" ? [String(id).slice(CALL_PREFIX.length)] : [])),
        thoughts: blocks.flatMap(({ type, thinking, signature }) =>
          type === "thinking" ? [{ text: String(thinking), proof: String(signature) }] : [],
        ),
        isInOpenLoop: index > asked,
      },
    ];
  });
}

const blocksOf = (content: Message["content"]): readonly Block[] => (typeof content === "string" ? [] : content);

const isResult = ({ type }: Block): boolean => type === "tool_result";

const CALL_PREFIX = "toolu_";

function unthinking(message: Message): Message {
  const { content } = message;
  if (typeof content === "string") return message;
  return { ...message, content: content.filter(({ type }) => type !== "thinking") };
}

const toolUse = ({ id, name, input }: ScriptedCall, cutOff: boolean): Block => ({
  type: "tool_use",
  id: `${CALL_PREFIX}${id}`,
  name,
  // A call that was cut off is JSON that ends early; the API returns only its complete fields.
  input: cutOff ? {} : input,
});

const named = (type: string, data: Body): StreamEvent => ({ name: type, data: { type, ...data } });

function blockEvents(block: Block, index: number): readonly StreamEvent[] {
  const { empty, deltas } = piecesOf(block);
  return [
    named("content_block_start", { index, content_block: empty }),
    ...deltas.map((delta) => named("content_block_delta", { index, delta })),
    named("content_block_stop", { index }),
  ];
}

/** Splits a block into its empty start and the deltas that fill it. */
function piecesOf(block: Block): { readonly empty: Block; readonly deltas: readonly Block[] } {
  switch (block.type) {
    case "text":
      return { empty: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: block["text"] }] };
    case "thinking":
      return {
        empty: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: block["thinking"] },
          { type: "signature_delta", signature: block["signature"] },
        ],
      };
    default:
      return {
        empty: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block["input"]) }],
      };
  }
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
