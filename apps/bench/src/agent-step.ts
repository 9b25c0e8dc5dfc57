import { asMessageId, asToolCallId, type MessageInput } from "threadfold";

/** A clock that stands still, so that runs are alike. */
export const stoppedClock = { now: () => Date.UTC(2026, 0, 1) };

/** System text and tools of the scripted agent. */
export const AGENT_FRAME = {
  system: ["You are a careful engineer."],
  tools: [{ name: "read", description: "Reads a file.", inputSchema: { type: "object" } }],
};

/** The messages of one step of an agent: a call and its result of this many lines. Deterministic and of one size. */
export function agentStep(index: number, lines = 10): readonly MessageInput[] {
  const createdAt = new Date(stoppedClock.now() + index * 1_000).toISOString();
  const callId = asToolCallId(`call_${index}`);
  const path = `src/part_${index % 977}/file_${index}.ts`;
  return [
    {
      id: asMessageId(`a${index}`),
      role: "assistant",
      createdAt,
      parts: [
        { type: "text", text: `I look at ${path} to see how step ${index} goes on.` },
        { type: "tool-call", callId, toolName: "read", input: { path } },
      ],
    },
    {
      id: asMessageId(`t${index}`),
      role: "tool",
      createdAt,
      parts: [
        {
          type: "tool-result",
          result: {
            toolName: "read",
            callId,
            outcome: "success",
            content: { type: "text", text: `export const value_${index} = ${index};\n`.repeat(lines) },
          },
        },
      ],
    },
  ];
}

/** What the scripted agent is asked for. */
export const agentTask: MessageInput = {
  id: asMessageId("task"),
  role: "user",
  createdAt: new Date(stoppedClock.now()).toISOString(),
  parts: [{ type: "text", text: "Read every file of the project and tell me what it does." }],
};

/** A log of this many messages, or one more. */
export function agentHistory(messages: number): readonly MessageInput[] {
  const history = [agentTask];
  for (let index = 0; history.length < messages; index++) history.push(...agentStep(index));
  return history;
}
