import { AgentThread, asMessageId, asThreadId, asToolCallId, type Message, type MessageInput } from "threadfold";

/** Pieces of text that carelessly written parsing reads slowly. */
const PIECES: Readonly<Record<string, string>> = {
  word: "a",
  path: "a/b/",
  dots: "a.b_c.",
  rules: "must never ",
  errors: "Error: x\n",
  fences: "```\n",
  blocks: "<system-reminder>",
  brackets: "[{(",
  todos: "- [ ] do x\n",
  chinese: "不要删除。",
};

const createdAt = "2026-01-01T00:00:00.000Z";

/** Length of each text in UTF-16 code units. Of longer texts only the ends are read; these are read whole. */
const TEXT_LENGTH = 20_000;

/** Threads of questions, calls and results that all repeat the same piece. */
export const hostileThreads = Object.entries(PIECES).map(([name, piece]) => ({
  name,
  /** Returns the thread whose texts have about this many characters in total. */
  threadOf: (characters: number): readonly Message[] => {
    const text = piece.repeat(Math.ceil(TEXT_LENGTH / piece.length));
    const rounds = Array.from({ length: Math.ceil(characters / (3 * TEXT_LENGTH)) }, (_, round) => round);
    const inputs = rounds.flatMap((round) => inputsOf(round, text));
    return [...AgentThread.empty(asThreadId(name)).append(inputs).messages];
  },
}));

function inputsOf(round: number, text: string): readonly MessageInput[] {
  const callId = asToolCallId(`call-${round}`);
  const result = { toolName: "bash", callId, outcome: "failure", content: { type: "text", text } } as const;
  return [
    { id: asMessageId(`u${round}`), role: "user", createdAt, parts: [{ type: "text", text }] },
    {
      id: asMessageId(`a${round}`),
      role: "assistant",
      createdAt,
      parts: [{ type: "tool-call", callId, toolName: "bash", input: { command: text } }],
    },
    { id: asMessageId(`t${round}`), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
  ];
}
