import type { ScriptedCall } from "../../script/scripted-agent.ts";
import { type Body, type ProviderProtocol, withoutMarks } from "../provider-protocol.ts";
import { cutOffArguments } from "./cut-off-arguments.ts";
import { refuseAsOpenai } from "./openai-refusal.ts";

/** OpenAI Chat Completions. */
export const openaiChatProtocol: ProviderProtocol = {
  format: "openai-chat",
  path: "/v1/chat/completions",
  pieces: ({ tools, messages }) => [withoutMarks(tools ?? []), ...(messages as readonly unknown[]).map(withoutMarks)],
  answer: ({ text, calls }, { id, inputTokens, cachedTokens, outputTokens, cutOff }) => ({
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1,
    model: "gpt-scripted",
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
