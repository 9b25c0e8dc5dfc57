import type { ServerResponse } from "node:http";
import { type ReceivedRequest, sendEvents, sendJson } from "./scripted-upstream.ts";

/** What a scripted model does: call the host's only tool, or say something. */
export type ScriptedMove = { readonly call: string } | { readonly say: string };

/** Answers as a provider's API does, streamed if the request asks for it. */
export type ScriptedApi = (
  response: ServerResponse,
  request: ReceivedRequest,
  move: ScriptedMove,
  index: number,
) => void;

/** Anthropic Messages: a thinking block with its signature, then the move. */
export const anthropicAnswers: ScriptedApi = (response, { body, text }, move, index) => {
  const block =
    "say" in move
      ? { type: "text", text: move.say }
      : { type: "tool_use", id: `toolu_${index}`, name: "run", input: { command: move.call } };
  const thought = { type: "thinking", thinking: `Step ${index}.`, signature: `c2ln${index}` };
  const stop_reason = "say" in move ? "end_turn" : "tool_use";
  const usage = { input_tokens: Math.ceil(text.length / 4), output_tokens: 20 };
  const message = { id: `msg_${index}`, type: "message", role: "assistant", model: "m", stop_sequence: null, usage };
  if (body["stream"] !== true) return sendJson(response, { ...message, content: [thought, block], stop_reason });
  sendEvents(response, [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: thought.thinking } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: thought.signature } },
    { type: "content_block_stop", index: 0 },
    ...blockEvents(block),
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } },
    { type: "message_stop" },
  ]);
};

function blockEvents(block: { readonly text?: string; readonly input?: object }): readonly object[] {
  const start = (content_block: object) => ({ type: "content_block_start", index: 1, content_block });
  const delta = (fields: object) => ({ type: "content_block_delta", index: 1, delta: fields });
  if (block.input === undefined)
    return [
      start({ ...block, text: "" }),
      ...halves(block.text ?? "").map((text) => delta({ type: "text_delta", text })),
    ];
  const pieces = halves(JSON.stringify(block.input));
  return [
    start({ ...block, input: {} }),
    ...pieces.map((partial_json) => delta({ type: "input_json_delta", partial_json })),
  ];
}

const halves = (text: string): readonly string[] => [text.slice(0, 3), text.slice(3)];

/** OpenAI Chat Completions. */
export const chatAnswers: ScriptedApi = (response, { body, text }, move, index) => {
  const usage = { prompt_tokens: Math.ceil(text.length / 4), completion_tokens: 20, total_tokens: 0 };
  const head = { id: `c_${index}`, created: 1, model: "m" };
  const finish_reason = "say" in move ? "stop" : "tool_calls";
  const args = "say" in move ? "" : JSON.stringify({ command: move.call });
  const call = (fields: object) => ({
    index: 0,
    id: `call_${index}`,
    type: "function",
    function: { name: "run", ...fields },
  });
  if (body["stream"] !== true) {
    const { index: _place, ...whole } = call({ arguments: args });
    const said = "say" in move ? { content: move.say } : { content: null, tool_calls: [whole] };
    const choices = [
      { index: 0, message: { role: "assistant", refusal: null, ...said }, finish_reason, logprobs: null },
    ];
    return sendJson(response, { ...head, object: "chat.completion", choices, usage });
  }
  const deltas =
    "say" in move
      ? halves(move.say).map((content) => ({ content }))
      : [
          { tool_calls: [call({ arguments: "" })] },
          ...halves(args).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
        ];
  const chunk = (delta: object, reason: string | null) => ({
    ...{ ...head, object: "chat.completion.chunk" },
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  sendEvents(response, [
    chunk({ role: "assistant", content: null }, null),
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish_reason),
    { ...head, object: "chat.completion.chunk", choices: [], usage },
  ]);
};

/** OpenAI Responses, with reasoning that only the provider can read. */
export const responsesAnswers: ScriptedApi = (response, { body, text }, move, index) => {
  const reasoning = { type: "reasoning", id: `rs_${index}`, summary: [], encrypted_content: `eA${index}` };
  const item =
    "say" in move
      ? {
          ...{ type: "message", id: `msg_${index}`, role: "assistant", status: "completed" },
          content: [{ type: "output_text", text: move.say, annotations: [] }],
        }
      : {
          ...{ type: "function_call", id: `fc_${index}`, call_id: `call_${index}`, name: "run", status: "completed" },
          arguments: JSON.stringify({ command: move.call }),
        };
  const whole = {
    ...{ id: `resp_${index}`, object: "response", created_at: 1, model: "m", status: "completed", error: null },
    ...{ output: [reasoning, item], incomplete_details: null, instructions: null, metadata: {} },
    usage: {
      ...{ input_tokens: Math.ceil(text.length / 4), output_tokens: 20, total_tokens: 0 },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 2 } },
    },
  };
  if (body["stream"] !== true) return sendJson(response, whole);
  sendEvents(response, [
    { type: "response.created", response: { ...whole, output: [], status: "in_progress" } },
    { type: "response.output_item.added", output_index: 0, item: reasoning },
    { type: "response.output_item.added", output_index: 1, item },
    { type: "response.completed", response: whole },
  ]);
};
