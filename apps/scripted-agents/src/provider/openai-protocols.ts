import type { ScriptedCall } from "../script/scripted-agent.ts";
import {
  type Body,
  type ProviderProtocol,
  type Refusal,
  type SentStep,
  type StreamEvent,
  type Thought,
  withoutMarks,
} from "./provider-protocol.ts";

/** OpenAI Responses, without storage at the provider. */
export const openaiResponsesProtocol: ProviderProtocol = {
  format: "openai-responses",
  path: "/v1/responses",
  models: ["gpt-5.1"],
  reasoning: {
    thinks: () => true,
    refusalOf: () => null,
    steps: ({ input }) => (typeof input === "string" ? [] : stepsOf(input as readonly Body[])),
    without: (body) => ({
      ...body,
      input: (body["input"] as readonly Body[]).filter(({ type }) => type !== "reasoning"),
    }),
    isBoundToPrefix: () => false,
  },
  pieces: ({ tools, instructions, input }) => [
    withoutMarks(tools ?? []),
    withoutMarks(instructions ?? ""),
    ...(typeof input === "string" ? [input] : (input as readonly unknown[]).map(withoutMarks)),
  ],
  answer: ({ text, calls }, { id, model, thought, inputTokens, cachedTokens, outputTokens, cutOff }) => ({
    id: `resp_${id}`,
    object: "response",
    created_at: 1,
    model,
    status: cutOff ? "incomplete" : "completed",
    error: null,
    incomplete_details: cutOff ? { reason: "max_output_tokens" } : null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    output: [
      ...(thought === undefined ? [] : [reasoningItem(id, thought)]),
      ...(text === "" ? [] : [messageItem(id, text)]),
      ...calls.map(({ id: callId, name, input }, index) => {
        const isCut = cutOff && index === calls.length - 1;
        return {
          type: "function_call",
          id: `fc_${callId}`,
          call_id: callId,
          name,
          arguments: isCut ? cutOffArguments(input) : JSON.stringify(input),
          status: isCut ? "incomplete" : "completed",
        };
      }),
    ],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: cachedTokens },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  }),
  stream: (answer) => {
    const output = answer["output"] as readonly Body[];
    const begun = { ...answer, status: "in_progress", output: [], usage: null };
    const events = [
      { type: "response.created", response: begun },
      ...output.flatMap(itemEvents),
      { type: answer["status"] === "completed" ? "response.completed" : "response.incomplete", response: answer },
    ];
    return events.map(
      (data, sequence): StreamEvent => ({ name: data.type, data: { sequence_number: sequence, ...data } }),
    );
  },
  refuse: refuseAsOpenai,
};

const reasoningItem = (id: string, { text, proof }: Thought): Body => ({
  type: "reasoning",
  id: `rs_${id}`,
  summary: [{ type: "summary_text", text }],
  encrypted_content: proof,
});

/** Number of pieces before the items: a request consists of its tools, its instructions and then its items. */
const PIECES_BEFORE_ITEMS = 2;

/** Returns the batches of calls, each with the reasoning before it. */
function stepsOf(items: readonly Body[]): readonly SentStep[] {
  const steps: SentStep[] = [];
  const asked = items.findLastIndex(({ role }) => role === "user");
  let thoughts: readonly Thought[] = [];
  for (const [index, item] of items.entries()) {
    if (item["type"] === "reasoning") thoughts = [...thoughts, thoughtOf(item)];
    else if (item["type"] === "function_call" && items[index - 1]?.["type"] !== "function_call") {
      const calls = [String(item["call_id"])];
      steps.push({ piece: index + PIECES_BEFORE_ITEMS, calls, thoughts, isInOpenLoop: index > asked });
      thoughts = [];
    } else if (item["role"] !== "assistant") thoughts = [];
  }
  return steps;
}

function thoughtOf({ summary, encrypted_content }: Body): Thought {
  const texts = summary as readonly { readonly text: string }[];
  return { text: texts.map(({ text }) => text).join("\n"), proof: String(encrypted_content) };
}

const messageItem = (id: string, text: string): Body => ({
  type: "message",
  id: `msg_${id}`,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

function itemEvents(item: Body, index: number): readonly (Body & { readonly type: string })[] {
  const place = { item_id: item["id"], output_index: index };
  const done = { type: "response.output_item.done", output_index: index, item };
  if (item["type"] === "reasoning")
    return [{ type: "response.output_item.added", output_index: index, item: { ...item, summary: [] } }, done];
  if (item["type"] === "function_call") {
    const begun = { ...item, arguments: "", status: "in_progress" };
    return [
      { type: "response.output_item.added", output_index: index, item: begun },
      { type: "response.function_call_arguments.delta", ...place, delta: item["arguments"] },
      { type: "response.function_call_arguments.done", ...place, name: item["name"], arguments: item["arguments"] },
      done,
    ];
  }
  const [part] = item["content"] as readonly [Body];
  const here = { ...place, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index: index, item: { ...item, content: [], status: "in_progress" } },
    { type: "response.content_part.added", ...here, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...here, delta: part["text"], logprobs: [] },
    { type: "response.output_text.done", ...here, text: part["text"], logprobs: [] },
    { type: "response.content_part.done", ...here, part },
    done,
  ];
}

/** OpenAI Chat Completions, streamed or whole. */
export const openaiChatProtocol: ProviderProtocol = {
  format: "openai-chat",
  path: "/v1/chat/completions",
  models: ["gpt-5.1"],
  pieces: ({ tools, messages }) => [withoutMarks(tools ?? []), ...(messages as readonly unknown[]).map(withoutMarks)],
  answer: ({ text, calls }, { id, model, inputTokens, cachedTokens, outputTokens, cutOff }) => ({
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" ? null : text,
          refusal: null,
          ...(calls.length > 0 && {
            tool_calls: calls.map((call, index) => toolCall(call, cutOff && index === calls.length - 1)),
          }),
        },
        finish_reason: cutOff ? "length" : calls.length > 0 ? "tool_calls" : "stop",
        logprobs: null,
      },
    ],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      prompt_tokens_details: { cached_tokens: cachedTokens },
    },
  }),
  stream: (answer) => {
    const { choices, usage, ...rest } = answer as Body & { readonly choices: readonly [Choice] };
    const { message, finish_reason } = choices[0];
    const { tool_calls: calls = [], ...spoken } = message;
    const chunk = (delta: Body, finish: string | null, figures: unknown = null) => ({
      data: {
        ...rest,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
        usage: figures,
      },
    });
    return [
      chunk(spoken, null),
      ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }, null)),
      chunk({}, finish_reason, usage),
      { data: "[DONE]" },
    ];
  },
  refuse: refuseAsOpenai,
};

interface Choice {
  readonly message: Body & { readonly tool_calls?: readonly Body[] };
  readonly finish_reason: string;
}

const toolCall = ({ id, name, input }: ScriptedCall, cutOff: boolean): Body => ({
  id,
  type: "function",
  function: { name, arguments: cutOff ? cutOffArguments(input) : JSON.stringify(input) },
});

/** Returns errors in the form of OpenAI's two APIs. */
function refuseAsOpenai(refusal: Refusal): { readonly status: number; readonly body: Body } {
  switch (refusal.kind) {
    case "illegal":
      return error(400, refusal.message, "invalid_request_error", null);
    case "overflow":
      return error(
        400,
        `This model's maximum context length is ${refusal.limit} tokens. However, your messages resulted in ` +
          `${refusal.tokens} tokens. Please reduce the length of the messages.`,
        "invalid_request_error",
        "context_length_exceeded",
      );
    case "rate-limit":
      return error(429, "Rate limit reached for requests.", "requests", "rate_limit_exceeded");
    case "server-error":
      return error(500, "The server had an error while processing your request.", "server_error", null);
  }
}

const error = (status: number, message: string, type: string, code: string | null) => ({
  status,
  body: { error: { message, type, param: null, code } },
});

/** Returns the arguments as they are when the output limit cuts them off in the middle. */
const cutOffArguments = (input: object): string => {
  const whole = JSON.stringify(input);
  return whole.slice(0, Math.floor(whole.length / 2));
};
