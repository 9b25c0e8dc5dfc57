import { type Body, type ProviderProtocol, type StreamEvent, withoutMarks } from "../provider-protocol.ts";
import { cutOffArguments } from "./cut-off-arguments.ts";
import { refuseAsOpenai } from "./openai-refusal.ts";

/** OpenAI Responses, without storage on the provider's side. */
export const openaiResponsesProtocol: ProviderProtocol = {
  format: "openai-responses",
  path: "/v1/responses",
  pieces: ({ tools, instructions, input }) => [
    withoutMarks(tools ?? []),
    withoutMarks(instructions ?? ""),
    ...(typeof input === "string" ? [input] : (input as readonly unknown[]).map(withoutMarks)),
  ],
  answer: ({ text, calls }, { id, inputTokens, cachedTokens, outputTokens, cutOff }) => ({
    id: `resp_${id}`,
    object: "response",
    created_at: 1,
    model: "gpt-scripted",
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
