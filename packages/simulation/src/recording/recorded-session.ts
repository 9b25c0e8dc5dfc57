import {
  AgentThread,
  type Message,
  type MessageInput,
  type Part,
  systemText,
  type ToolDefinition,
} from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { pieceText } from "../policy/prompt-policy.ts";

/** A recorded session as it is replayed: the same for every policy. */
export interface RecordedSession {
  /** Names the session in tables: the file that it came from. */
  readonly name: string;
  readonly sessionId: string;
  readonly format: string;
  readonly system: readonly string[];
  /** Every tool that is called, by name alone. */
  readonly tools: readonly ToolDefinition[];
  /** Messages of the main branch with what is counted: text, calls and results. */
  readonly messages: readonly Message[];
  readonly calls: readonly RecordedCall[];
  /** Tokens of the whole history, system text included, at four characters each. */
  readonly tokens: number;
}

const CHARACTERS_PER_TOKEN = 4;

/** Characters as tokens, not rounded (`targets.md`). */
export const tokensOfCharacters = (characters: number): number => characters / CHARACTERS_PER_TOKEN;

/** What of a session is replayed. */
export type LoggedSession = Pick<ImportedSession, "threadId" | "format" | "system" | "messages">;

/**
 * Makes a session ready for replay. Side branches, reasoning, media and provider items are left out, because they are
 * not counted: what a policy does with them would otherwise be paid for by some policies and not by others.
 */
export function recordedSession(imported: LoggedSession, name: string): RecordedSession {
  const inputs = imported.messages.flatMap((message) => countedMessage(message));
  const messages = [...AgentThread.empty(imported.threadId).append(inputs).messages];
  const system = imported.system.map((entry) => systemText(entry));
  const characters = [...system, ...messages.map(pieceText)].reduce((sum, text) => sum + text.length, 0);
  return {
    name,
    sessionId: imported.threadId,
    format: imported.format,
    system,
    tools: calledTools(messages),
    messages,
    calls: recordedCalls(messages),
    tokens: tokensOfCharacters(characters),
  };
}

/** How long a session rests: as it was recorded, never, or for so many milliseconds before each call that a user's words begin. */
export type Pauses = "recorded" | "none" | number;

/** One call follows another after this long where nothing else is said, in milliseconds. */
const BETWEEN_CALLS = 10_000;

/** A session whose calls come after other pauses than the recorded ones. */
export function withPauses(session: RecordedSession, pauses: Pauses): RecordedSession {
  if (pauses === "recorded") return session;
  let at = session.calls[0]?.at ?? 0;
  const calls = session.calls.map((call, index): RecordedCall => {
    const isReturn = pauses !== "none" && call.added.some(({ role }) => role === "user");
    if (index > 0) at += isReturn ? pauses : BETWEEN_CALLS;
    return { ...call, at };
  });
  return { ...session, calls };
}

/** A message of the main branch with its counted parts; none when nothing of it is counted. */
function countedMessage(message: MessageInput): readonly MessageInput[] {
  const parts = message.parts.filter(isCounted);
  return message.branch !== undefined || parts.length === 0 ? [] : [{ ...message, parts }];
}

const isCounted = (part: Part): boolean =>
  part.type === "tool-call" || part.type === "tool-result" || (part.type === "text" && part.text.trim() !== "");

/** The tools that messages call, by name alone: what stands in for definitions that a log does not have. */
export function calledTools(messages: readonly Message[]): readonly ToolDefinition[] {
  const names = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : [])),
  );
  return [...new Set(names)].filter((name) => name !== "").map((name) => ({ name, inputSchema: { type: "object" } }));
}

/** A model call of a log: what came before it since the call before, and what the model answered. */
export interface RecordedCall {
  /** Place among the session's calls, from 0. */
  readonly index: number;
  /** When the newest message before it was written, in milliseconds since 1970. Never before the call before it. */
  readonly at: number;
  /** What the log adds before this call: the answer to the call before, its results, and what users said. */
  readonly added: readonly Message[];
  /** What the model answered: one message, or several in a row where the log splits an answer. */
  readonly answer: readonly Message[];
}

/**
 * The model calls of a log, in order. A call stands before an assistant message that follows a user or a tool, with no
 * tool call running: nobody asks a model while results are awaited, but some tools log an answer result by result.
 * Messages behind the last answer belong to no call.
 */
export function recordedCalls(messages: readonly Message[]): readonly RecordedCall[] {
  const running = runningCalls(messages);
  const calls: RecordedCall[] = [];
  let start = 0;
  let at = Number.NEGATIVE_INFINITY;
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant" || running[index] !== 0 || !asksForAnswer(messages[index - 1])) continue;
    const added = messages.slice(start, index);
    at = added.reduce((latest, { createdAt }) => Math.max(latest, Date.parse(createdAt) || 0), at);
    calls.push({ index: calls.length, at, added, answer: answerFrom(messages, index) });
    start = index;
  }
  return calls;
}

const asksForAnswer = (before: Message | undefined): boolean => before !== undefined && before.role !== "assistant";

function answerFrom(messages: readonly Message[], start: number): readonly Message[] {
  let end = start + 1;
  while (messages[end]?.role === "assistant") end++;
  return messages.slice(start, end);
}

/**
 * Before each message, how many tool calls still run: their results come later. A call that is never answered does not
 * run, and an id that is used again belongs to the newest call with it.
 */
export function runningCalls(messages: readonly Message[]): readonly number[] {
  const results = resultPlaces(messages);
  const ends: number[] = [];
  return messages.map(({ parts }, index) => {
    const running = ends.filter((end) => end >= index);
    ends.splice(0, ends.length, ...running);
    for (const part of parts) {
      const end = part.type === "tool-call" ? results.get(part.callId)?.find((place) => place > index) : undefined;
      if (end !== undefined) ends.push(end);
    }
    return running.length;
  });
}

function resultPlaces(messages: readonly Message[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { parts }] of messages.entries()) {
    for (const part of parts) {
      if (part.type !== "tool-result") continue;
      const known = places.get(part.result.callId);
      if (known === undefined) places.set(part.result.callId, [index]);
      else known.push(index);
    }
  }
  return places;
}
