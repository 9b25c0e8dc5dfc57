import { asMessageId, asToolCallId, type MessageInput, type Part } from "threadfold";

/** A clock that stands still, so that runs are identical. */
export const stoppedClock = { now: () => Date.UTC(2026, 0, 1) };

/** System text and tools of the scripted agent. */
export const AGENT_FRAME = {
  system: ["You are a careful engineer."],
  tools: [{ name: "read", description: "Reads a file.", inputSchema: { type: "object" } }],
};

/**
 * Returns the messages of one agent step: a call, and its result with this many lines. Deterministic and of fixed size.
 */
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

/** How a log differs from that of a tidy agent. */
export interface Disorder {
  /** The calls of every answer have the same ids, as from a provider that numbers them anew each time. */
  readonly idsAgain?: boolean;
  /** Results come in another order than their calls, as from tools that run side by side. */
  readonly crossed?: boolean;
}

/** Returns the messages of a step with two calls at once. */
export function pairedStep(index: number, { idsAgain = false, crossed = false }: Disorder): readonly MessageInput[] {
  const [asked, read] = agentStep(index) as readonly [MessageInput, MessageInput];
  const ids = [0, 1].map((place) => asToolCallId(idsAgain ? `call_${place}` : `call_${index}_${place}`));
  const withId = (part: Part, callId: (typeof ids)[number]): Part =>
    part.type === "tool-result" ? { ...part, result: { ...part.result, callId } } : ({ ...part, callId } as Part);
  const calls = asked.parts.filter(({ type }) => type === "tool-call");
  const results = ids.map(
    (id): MessageInput => ({
      ...read,
      id: asMessageId(`${read.id}_${id}`),
      parts: read.parts.map((part) => withId(part, id)),
    }),
  );
  return [
    { ...asked, parts: ids.flatMap((id) => calls.map((part) => withId(part, id))) },
    ...(crossed ? results.toReversed() : results),
  ];
}

/** The task given to the scripted agent. */
export const agentTask: MessageInput = {
  id: asMessageId("task"),
  role: "user",
  createdAt: new Date(stoppedClock.now()).toISOString(),
  parts: [{ type: "text", text: "Read every file of the project and tell me what it does." }],
};

/** Returns a log of this many messages, or one more. */
export function agentHistory(messages: number): readonly MessageInput[] {
  const history = [agentTask];
  for (let index = 0; history.length < messages; index++) history.push(...agentStep(index));
  return history;
}
