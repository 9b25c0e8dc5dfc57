/** The size of a generated session. */
export interface SessionSize {
  /** Tool calls, each with one result. */
  readonly calls: number;
  /** Length of every result, in characters. */
  readonly resultLength: number;
}

const SMALL: SessionSize = { calls: 3, resultLength: 200 };

/** The size of a session of about 30 000 tokens. */
export const LONG: SessionSize = { calls: 60, resultLength: 2_000 };

/**
 * Returns a conversation in the OpenAI chat format: one task, one rule that becomes a pin, and the given number of
 * calls.
 */
export function openAiSession({ calls, resultLength }: SessionSize = SMALL): string {
  const exchanges = Array.from({ length: calls }, (_, index) => [
    {
      role: "assistant",
      content: `Step ${index}: look at src/part-${index}.ts.`,
      tool_calls: [
        {
          id: `call_${index}`,
          type: "function",
          function: { name: "read_file", arguments: `{"path":"src/part-${index}.ts"}` },
        },
      ],
    },
    { role: "tool", tool_call_id: `call_${index}`, content: resultText(index, resultLength) },
  ]);
  return JSON.stringify({
    messages: [
      { role: "system", content: "You are a careful engineer." },
      { role: "user", content: "Find the leak in the parser. Never commit without running the tests first." },
      ...exchanges.flat(),
      { role: "assistant", content: "The leak is in src/part-1.ts." },
      { role: "user", content: "Good. Where exactly?" },
    ],
  });
}

/** Returns the same kind of conversation as an Anthropic Messages body. */
export function anthropicSession({ calls, resultLength }: SessionSize = SMALL): string {
  const exchanges = Array.from({ length: calls }, (_, index) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${index}`, name: "read_file", input: { path: `src/part-${index}.ts` } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: resultText(index, resultLength) }],
    },
  ]);
  return JSON.stringify({
    system: "You are a careful engineer.",
    tools: [
      {
        name: "read_file",
        description: "Reads a file.",
        input_schema: { type: "object", properties: { path: { type: "string" } } },
      },
    ],
    messages: [
      { role: "user", content: "Find the leak. You must always keep the public interface." },
      ...exchanges.flat(),
      { role: "assistant", content: [{ type: "text", text: "Found it." }] },
      { role: "user", content: "Then fix it." },
    ],
  });
}

/** A pi session of a few lines; the fourth is damaged. */
export const PI_SESSION: string = [
  {
    type: "session",
    id: "11111111-2222-3333-4444-555555555555",
    timestamp: "2025-11-20T10:00:00.000Z",
    cwd: "/project",
  },
  {
    type: "message",
    timestamp: "2025-11-20T10:00:01.000Z",
    message: { role: "user", content: [{ type: "text", text: "List the files." }] },
  },
  {
    type: "message",
    timestamp: "2025-11-20T10:00:02.000Z",
    message: {
      role: "assistant",
      content: [{ type: "toolCall", id: "toolu_a", name: "bash", arguments: { command: "ls" } }],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      stopReason: "toolUse",
    },
  },
]
  .map((line) => JSON.stringify(line))
  .concat(
    '{"type":"message","timestamp":"2025-11-20T10:00:02.500Z","mess',
    JSON.stringify({
      type: "message",
      timestamp: "2025-11-20T10:00:03.000Z",
      message: {
        role: "toolResult",
        toolCallId: "toolu_a",
        toolName: "bash",
        content: [{ type: "text", text: "a.txt" }],
        isError: false,
      },
    }),
    "",
  )
  .join("\n");

function resultText(index: number, length: number): string {
  const line = `export const part${index} = ${index}; // value of part ${index}\n`;
  return line.repeat(Math.ceil(length / line.length)).slice(0, length);
}
