import { asMessageId, asToolCallId, type MessageInput } from "@threadfold/core";

/** The values that change from run to run in a freshly recorded conversation. */
export interface Volatile {
  /** Hexadecimal digits that every generated id contains. */
  readonly run: string;
  readonly startMs: number;
}

/**
 * Returns an agent's conversation with this number of turns, as one run would record it; ids and times differ per run.
 */
export function sampleMessages(turns: number, { run, startMs }: Volatile): readonly MessageInput[] {
  let count = 0;
  const next = (message: Pick<MessageInput, "role" | "parts">): MessageInput => {
    count += 1;
    return { ...message, id: asMessageId(`${uuid(run, count)}`), createdAt: new Date(startMs + count).toISOString() };
  };
  return Array.from({ length: turns }, (_, turn) => {
    const callId = asToolCallId(`toolu_${run}${String(turn).padStart(8, "0")}`);
    const at = new Date(startMs + turn * 1_000).toISOString();
    return [
      next({ role: "user", parts: [{ type: "text", text: `Question ${turn} at ${at}: what is in file ${turn}?` }] }),
      next({
        role: "assistant",
        parts: [
          { type: "tool-call", callId, toolName: "read", input: { path: `file-${turn}.txt`, trace: uuid(run, turn) } },
        ],
      }),
      next({
        role: "tool",
        parts: [
          {
            type: "tool-result",
            result: {
              toolName: "read",
              callId,
              outcome: "success",
              content: { type: "text", text: `Read ${at} by ${callId}. ${`Line of file ${turn}. `.repeat(60)}` },
            },
          },
        ],
      }),
      next({ role: "assistant", parts: [{ type: "text", text: `File ${turn} holds lines about itself.` }] }),
    ];
  }).flat();
}

const uuid = (run: string, count: number): string =>
  `${run.padEnd(8, "0").slice(0, 8)}-0000-4000-8000-${count.toString(16).padStart(12, "0")}`;
