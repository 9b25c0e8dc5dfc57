import { canonicalJson, detectPins, parseJson, readRecallRequest, spanOf } from "@threadfold/core";
import { MemoryRecallIndex, namesInText } from "@threadfold/rehydration";
import { recognizeOverflow } from "@threadfold/renderer";
import { redactJson } from "@threadfold/summarizers";
import {
  asMessageId,
  asThreadId,
  ContextSession,
  createMemoryStore,
  ExtractiveSummarizer,
  heuristicTokenizer,
  importSession,
  loadTokenizer,
  type Message,
  type MessageInput,
  redactSecrets,
  type SessionOptions,
  AgentThread as Threads,
} from "threadfold";

/** A piece of work on text that is done in a turn, in a fold or in a search. */
export type Step = (text: string) => Run;

/** A step on one text. Making its input is not measured. */
export interface Run {
  readonly start: () => unknown;
  /** The size of the input, if it is not the text itself: an escaped text is longer in a file. */
  readonly megabytes?: number;
}

const threadId = asThreadId("blocking");
const createdAt = "2026-01-01T00:00:00.000Z";
const PIN_TOKENS = 2_000;
const SUMMARY_TOKENS = 6_000;
/** Token budget of a request; the text of a shape is always folded. */
const MAX_INPUT_TOKENS = 20_000;

const heuristic = heuristicTokenizer();
const tiktoken = await loadTokenizer("tiktoken");
const extractive = new ExtractiveSummarizer();

const say = (id: string, role: "user" | "assistant", text: string): MessageInput => ({
  id: asMessageId(id),
  role,
  createdAt,
  // Threads accept only well-formed text.
  parts: [{ type: "text", text: text.toWellFormed() }],
});

/** A conversation in which a tool returned a text, followed by a comment of the assistant. */
const conversation = (text: string): readonly MessageInput[] => [
  say("u0", "user", "Look at the file and tell me what it says."),
  {
    id: asMessageId("a0"),
    role: "assistant",
    createdAt,
    parts: [{ type: "tool-call", callId: "call" as never, toolName: "read_file", input: { path: "src/a.ts" } }],
  },
  {
    id: asMessageId("t0"),
    role: "tool",
    createdAt,
    parts: [
      {
        type: "tool-result",
        result: {
          ...{ toolName: "read_file", callId: "call" as never, outcome: "success" as const },
          content: { type: "text", text: text.toWellFormed() },
        },
      },
    ],
  },
  say("a1", "assistant", "It says a lot."),
];

const messagesOf = (inputs: readonly MessageInput[]): readonly Message[] =>
  Threads.empty(threadId).append(inputs).messagesBetween(0);

/** The first message of a thread in which only this text was said. */
const said = (text: string): Message => messagesOf([say("u0", "user", text)])[0] as Message;

async function session(
  messages: readonly MessageInput[],
  use: (session: ContextSession) => Promise<unknown>,
  options: Partial<SessionOptions> = {},
): Promise<void> {
  const config = { maxInputTokens: MAX_INPUT_TOKENS };
  const given = { threadId, store: createMemoryStore(), config, clock: { now: () => 0 } };
  const opened = await ContextSession.open({ ...given, ...options });
  await opened.append(messages);
  await use(opened);
  await opened.close();
}

const encoder = new TextEncoder();
const chat = (text: string): string =>
  JSON.stringify({
    messages: [
      { role: "user", content: "Look." },
      { role: "assistant", content: text },
    ],
  });
const lines = (text: string): string =>
  [
    { type: "user", sessionId: "s", uuid: "u", timestamp: createdAt, message: { role: "user", content: text } },
    { type: "user", sessionId: "s", uuid: "v", timestamp: createdAt, message: { role: "user", content: "And now?" } },
  ]
    .map((line) => JSON.stringify(line))
    .join("\n");

const AT_ONCE = "counting with tiktoken, at once";
const NAMES_AT_ONCE = "names for search, at once";
const PINS_AT_ONCE = "pins in what a user said, at once";
/** Steps that a host takes in one go only when it asks for that; a session takes them in slices. */
export const informational: ReadonlySet<string> = new Set([AT_ONCE, PINS_AT_ONCE, NAMES_AT_ONCE]);

const over =
  (run: (text: string) => unknown): Step =>
  (text) => ({ start: () => run(text) });

const importing =
  (fileOf: (text: string) => string): Step =>
  (text) => {
    const file = encoder.encode(fileOf(text));
    return { start: () => importSession(file).catch(() => undefined), megabytes: file.length / 1_000_000 };
  };

/** All steps that run over text. */
export const steps: Readonly<Record<string, Step>> = {
  "redaction of a text": over((text) => redactSecrets(text)),
  "redaction of the parts of a message": over((text) =>
    redactJson(
      Array.from({ length: 64 }, (_, part) => ({
        text: text.slice(part * (text.length / 64)).slice(0, text.length / 64),
      })),
    ),
  ),
  "a query for search": over((text) => readRecallRequest({ text: text.toWellFormed() })),
  "indexing for search": over((text) => new MemoryRecallIndex().index(threadId, [said(text)])),
  [NAMES_AT_ONCE]: over((text) => namesInText(text)),
  [PINS_AT_ONCE]: over((text) =>
    detectPins([said(text)], [], { maxTokens: PIN_TOKENS, countTokens: (part) => heuristic.countTokens(part) }),
  ),
  "summary without a model": over((text) => {
    const messages = messagesOf([...conversation(text), say("u1", "user", text)]);
    return extractive.summarize({
      ...{ span: spanOf(messages), messages, previous: null, pins: [], maxTokens: SUMMARY_TOKENS },
      countTokens: (part) => heuristic.countTokens(part),
    });
  }),
  "counting by characters": over((text) => heuristic.countTokens(text)),
  [AT_ONCE]: over((text) => tiktoken.countTokens(text)),
  "canonical JSON": over((text) => canonicalJson({ text: text.toWellFormed() })),
  "reading JSON": over((text) => parseJson(JSON.stringify({ text: text.toWellFormed() }))),
  "importing openai-chat": importing(chat),
  "importing claude-code": importing(lines),
  "recognizing an overflow": over((text) => recognizeOverflow(new Error(text))),
  "a session's append": over((text) => session(conversation(text), async () => undefined)),
  "a session's append of what a user pasted": over((text) => session([say("u0", "user", text)], async () => undefined)),
  "a session's append, counted with tiktoken": over((text) =>
    session(conversation(text), async () => undefined, { tokenizer: tiktoken }),
  ),
  "a session's fold and request": over((text) => session(conversation(text), (opened) => opened.prepare())),
  "a session's fold and request, counted with tiktoken": over((text) =>
    session(conversation(text), (opened) => opened.prepare(), { tokenizer: tiktoken }),
  ),
  "a session's search": over((text) =>
    session(conversation(text), (opened) => opened.search({ text: text.slice(0, 2_000) })),
  ),
  "a session's handoff": over((text) =>
    session(conversation(text), (opened) =>
      opened.handoff({ goal: "Go on with the file.", threadId: asThreadId("next") }),
    ),
  ),
};
