import { asMessageId, asToolCallId, type MessageInput, type Part } from "threadfold";

const createdAt = new Date(Date.UTC(2026, 0, 1)).toISOString();

/** The user's request. */
export const agentTask: MessageInput = {
  id: asMessageId("task"),
  role: "user",
  createdAt,
  parts: [{ type: "text", text: "Read every file of the project and tell me what it does." }],
};

/** Returns one agent step: reasoning, two calls and their results. Deterministic and small, to have many parts. */
export function agentStep(index: number): readonly MessageInput[] {
  const reads = [index * 2, index * 2 + 1];
  const thought: Part = {
    type: "reasoning",
    text: `File ${index} comes next; the one before it said nothing of how "value_${index}" is made.`,
    provider: "anthropic",
    signature: `c2lnbmF0dXJl${index}`,
  };
  const calls = reads.map(
    (read): Part => ({
      type: "tool-call",
      callId: asToolCallId(`call_${read}`),
      toolName: "read",
      input: { path: `src/part_${read % 97}/file_${read}.ts`, range: { from: 1, to: 40 } },
    }),
  );
  return [
    {
      id: asMessageId(`a${index}`),
      role: "assistant",
      createdAt,
      parts: [thought, { type: "text", text: `I read on at step ${index}.` }, ...calls],
    },
    ...reads.map(
      (read): MessageInput => ({ id: asMessageId(`t${read}`), role: "tool", createdAt, parts: [result(read)] }),
    ),
  ];
}

/** Returns a result that is a text, a JSON value or a failure. */
function result(read: number): Part {
  const callId = asToolCallId(`call_${read}`);
  const text = `export const value_${read} = "${read}";\n\t// line\n`.repeat(12);
  const content =
    read % 5 === 0
      ? ({ type: "json", value: { path: `file_${read}.ts`, lines: text.split("\n") } } as const)
      : ({ type: "text", text } as const);
  const outcome = read % 9 === 0 ? "failure" : "success";
  return { type: "tool-result", result: { toolName: "read", callId, outcome, content } };
}
