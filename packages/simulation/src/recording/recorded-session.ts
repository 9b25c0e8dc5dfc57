import {
  AgentThread,
  type Message,
  type MessageInput,
  type Part,
  systemText,
  type ToolDefinition,
} from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { pieceText } from "../policy/prompt-piece.ts";
import { type RecordedCall, recordedCalls } from "./recorded-calls.ts";

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

/**
 * Makes a session ready for replay. Side branches, reasoning, media and provider items are left out, because they are
 * not counted: what a policy does with them would otherwise be paid for by some policies and not by others.
 */
export function recordedSession(imported: ImportedSession, name: string): RecordedSession {
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

/** A message of the main branch with its counted parts; none when nothing of it is counted. */
function countedMessage(message: MessageInput): readonly MessageInput[] {
  const parts = message.parts.filter(isCounted);
  return message.branch !== undefined || parts.length === 0 ? [] : [{ ...message, parts }];
}

const isCounted = (part: Part): boolean =>
  part.type === "tool-call" || part.type === "tool-result" || (part.type === "text" && part.text.trim() !== "");

function calledTools(messages: readonly Message[]): readonly ToolDefinition[] {
  const names = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : [])),
  );
  return [...new Set(names)].filter((name) => name !== "").map((name) => ({ name, inputSchema: { type: "object" } }));
}
