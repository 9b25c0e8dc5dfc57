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

/** A recorded session as it is replayed, the same for every policy. */
export interface RecordedSession {
  /** Names the session in tables: the file that it came from. */
  readonly name: string;
  readonly sessionId: string;
  readonly format: string;
  readonly system: readonly string[];
  /** Every tool that is called, with only its name. */
  readonly tools: readonly ToolDefinition[];
  /** Messages of the main branch with the parts that are counted: text, calls and results. */
  readonly messages: readonly Message[];
  readonly calls: readonly RecordedCall[];
  /** Tokens of the whole history, system text included, at four characters each. */
  readonly tokens: number;
}

const CHARACTERS_PER_TOKEN = 4;

/** Returns characters as tokens, not rounded (`targets.md`). */
export const tokensOfCharacters = (characters: number): number => characters / CHARACTERS_PER_TOKEN;

/** The parts of an imported session that are replayed. */
export type LoggedSession = Pick<ImportedSession, "threadId" | "format" | "system" | "messages">;

/**
 * Prepares a session for replay. Side branches, reasoning, media and provider items are left out, because they are not
 * counted: otherwise some policies would pay for them and others would not.
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

/**
 * Pauses in a session: as recorded, none, or this number of milliseconds before each call that follows a user message.
 */
export type Pauses = "recorded" | "none" | number;

/** Time between calls without another pause, in milliseconds. */
const BETWEEN_CALLS = 10_000;

/** Returns a session with other pauses before its calls than the recorded ones. */
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

/** Returns a message of the main branch with its counted parts, or nothing when none is counted. */
function countedMessage(message: MessageInput): readonly MessageInput[] {
  const parts = message.parts.filter(isCounted);
  return message.branch !== undefined || parts.length === 0 ? [] : [{ ...message, parts }];
}

const isCounted = (part: Part): boolean =>
  part.type === "tool-call" || part.type === "tool-result" || (part.type === "text" && part.text.trim() !== "");

/** Returns the tools that messages call, with only their names, in place of definitions that a log does not have. */
export function calledTools(messages: readonly Message[]): readonly ToolDefinition[] {
  const names = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : [])),
  );
  return [...new Set(names)].filter((name) => name !== "").map((name) => ({ name, inputSchema: { type: "object" } }));
}

/** A model call in a log: the messages since the previous call, and the model's answer. */
export interface RecordedCall {
  /** Index among the session's calls, from 0. */
  readonly index: number;
  /** When the newest message before it was written, in milliseconds since 1970. Never before the previous call. */
  readonly at: number;
  /** What the log adds before this call: the answer to the previous call, its results, and user messages. */
  readonly added: readonly Message[];
  /** The model's answer: one message, or several in a row if the log splits an answer. */
  readonly answer: readonly Message[];
}

/**
 * Returns the model calls of a log, in order. A call precedes an assistant message that follows a user or tool message
 * while no tool call is running: nobody calls a model while results are awaited, but some tools log an answer result by
 * result. Messages after the last answer belong to no call.
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
 * Returns, for each message, the number of tool calls still running before it, whose results come later. A call that is
 * never answered does not count as running, and a reused id belongs to the newest call with it.
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
