import {
  asMessageId,
  asToolCallId,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  type MessageId,
  type MessageInput,
  type MessageOrigin,
  type Part,
  type ToolCallId,
  toWellFormedJson,
} from "@threadfold/core";
import { millisecondAfter, nonEmptyText, utcTime } from "../reading/foreign-value.ts";
import type { MalformedRecord, SourcePointer } from "../reading/source-records.ts";
import type { ImportedCompaction, ImportWarning, NonPromptRecords } from "./imported-session.ts";
import { shortId, UniqueIds } from "./session-ids.ts";

/**
 * A message as an importer passes it: the id is a suggestion, the time may be missing, the source is its position in
 * the log.
 */
export interface DraftMessage extends Omit<MessageInput, "id" | "createdAt" | "metadata"> {
  readonly id: string;
  /** A time in the log's own form. */
  readonly time?: unknown;
  readonly source: SourcePointer;
  /** Lines of all records that the message was made from, if there are several. */
  readonly sourceLines?: readonly number[];
  /** JSON Pointers of all records that the message was made from, if there are several in one line. */
  readonly sourcePaths?: readonly string[];
  /** Data that core's model has no field for. */
  readonly notes?: JsonObject;
}

/**
 * Collects what an importer finds. It ensures what every format needs: unique ids, times, tool names, values that core
 * can store, and that each record is accounted for.
 */
export class SessionDraft {
  readonly messages: MessageInput[] = [];
  readonly compactions: ImportedCompaction[] = [];
  readonly malformed: MalformedRecord[] = [];
  readonly warnings: ImportWarning[] = [];
  readonly calls = new CallLedger();
  readonly #ids = new UniqueIds();
  readonly #nonPrompt = new Map<string, SourcePointer[]>();
  readonly #unknown = new Map<string, SourcePointer[]>();
  #time = new Date(0).toISOString();

  /** Sets when the session began, in the log's own form. Messages without a time are dated from it. */
  startAt(time: unknown): void {
    this.#time = utcTime(time) ?? this.#time;
  }

  /** Adds a message. @returns its final id. */
  add(message: DraftMessage): MessageId {
    const id = asMessageId(this.#ids.take(message.id));
    if (id !== message.id) this.warnings.push({ kind: "replaced-id", at: message.source, id });
    const added = placed(message, id, this.#timeOf(message.time));
    if (isClean(message)) this.messages.push(added);
    else {
      this.messages.push(toWellFormedJson(added) as unknown as MessageInput);
      this.warnings.push({ kind: "repaired-value", at: message.source, messageId: id });
    }
    return id;
  }

  /** Records a record that has nothing that a model was sent. */
  skip(kind: string, at: number | SourcePointer): void {
    appendTo(this.#nonPrompt, kind.toWellFormed(), typeof at === "number" ? { line: at } : at);
  }

  /** Records a record of a type that the importer does not know. */
  skipUnknown(type: string, at: number | SourcePointer): void {
    this.skip(type, at);
    appendTo(this.#unknown, type.toWellFormed(), typeof at === "number" ? { line: at } : at);
  }

  reportMalformed(at: SourcePointer, problem: string): void {
    this.malformed.push({ ...at, problem });
  }

  get nonPrompt(): readonly NonPromptRecords[] {
    return [...this.#nonPrompt].map(([kind, places]) => {
      const lines = places.map(({ line }) => line);
      return places.some(({ path }) => path !== undefined)
        ? { kind, lines, paths: places.map(({ path = "" }) => path) }
        : { kind, lines };
    });
  }

  /** All warnings, including one for each unknown record type. */
  get allWarnings(): readonly ImportWarning[] {
    const unknown = [...this.#unknown].map(([type, places]): ImportWarning => {
      return { kind: "unknown-record", type, count: places.length, firstLine: places[0]?.line ?? 0 };
    });
    return [...this.warnings, ...unknown];
  }

  /** A message without a time is dated one millisecond after the message before it. */
  #timeOf(time: unknown): string {
    this.#time = utcTime(time) ?? millisecondAfter(this.#time);
    return this.#time;
  }
}

/**
 * Builds the message for a thread. Fields are set one by one because copying each message twice would cost noticeable
 * time.
 */
function placed(message: DraftMessage, id: MessageId, createdAt: string): MessageInput {
  const { role, parts, branch, model, usage, providerMetadata } = message;
  const origin = message.origin ?? (role === "user" ? turnAuthor(parts) : undefined);
  const placed: { -readonly [Field in keyof MessageInput]: MessageInput[Field] } = { id, role, parts, createdAt };
  if (branch !== undefined) placed.branch = branch;
  if (origin !== undefined) placed.origin = origin;
  if (model !== undefined) placed.model = model;
  if (usage !== undefined) placed.usage = usage;
  if (providerMetadata !== undefined) placed.providerMetadata = providerMetadata;
  placed.metadata = metadataOf(message);
  return placed;
}

function metadataOf({ source: { line, path }, sourceLines, sourcePaths, notes }: DraftMessage): JsonObject {
  const source: Record<string, JsonValue> = { line };
  if (path !== undefined) source.path = path;
  if (sourceLines !== undefined) source.lines = sourceLines;
  if (sourcePaths !== undefined) source.paths = sourcePaths;
  return { source, ...notes };
}

/** Checks only values taken unchanged from the log; ids, times and figures are made here and known to be sound. */
function isClean({ parts, notes, branch, model, providerMetadata }: DraftMessage): boolean {
  return [parts, notes, branch, model, providerMetadata].every((value) => isRepresentable(value));
}

function appendTo(lists: Map<string, SourcePointer[]>, key: string, place: SourcePointer): void {
  const places = lists.get(key);
  if (places === undefined) lists.set(key, [place]);
  else places.push(place);
}

/** The depth at which core's `toWellFormedJson` cuts, which leaves room for the levels of a thread entry around it. */
const MAX_DEPTH = MAX_JSON_DEPTH - 16;

/**
 * Checks whether canonical JSON can represent a value that came from `JSON.parse`: well-formed text, finite numbers,
 * bounded depth. It walks the value without allocating, because it runs on every message.
 */
export function isRepresentable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isRepresentable(item, depth + 1));
  for (const key in value) {
    if (!key.isWellFormed() || !isRepresentable((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

/** Returns the model of the newest assistant message on the main branch that names one. */
export function newestModel(messages: readonly MessageInput[]): string | undefined {
  return messages.findLast((message) => message.model !== undefined && message.branch === undefined)?.model;
}

/**
 * Remembers which tool each call used, so that results get their tool's name, and assigns ids to calls without one. Ids
 * may be reused: the newest call with an id counts.
 */
export class CallLedger {
  readonly #names = new Map<ToolCallId, string>();
  /** Calls without an id in the log that no result has answered yet, oldest first. */
  readonly #unnamed: { readonly callId: ToolCallId; readonly toolName: string }[] = [];

  /** Records a call. `standIn` becomes its id when the log has none. */
  open(id: unknown, toolName: string, standIn: string): ToolCallId {
    const given = nonEmptyText(id);
    const callId = asToolCallId(shortId(given ?? standIn));
    if (given === undefined) this.#unnamed.push({ callId, toolName });
    this.#names.set(callId, toolName);
    return callId;
  }

  /**
   * Returns the call that a result answers, and the tool's name. A result without an id answers the oldest open call
   * without one; if the log names the result's tool, the oldest such call of that tool.
   */
  answer(
    id: unknown,
    toolName: string | undefined,
    standIn: string,
  ): { readonly callId: ToolCallId; readonly toolName: string } {
    const given = nonEmptyText(id);
    const callId = given === undefined ? this.#takeUnnamed(toolName, standIn) : asToolCallId(shortId(given));
    return { callId, toolName: this.#names.get(callId) ?? toolName ?? "unknown" };
  }

  #takeUnnamed(toolName: string | undefined, standIn: string): ToolCallId {
    const index = this.#unnamed.findIndex((call) => toolName === undefined || call.toolName === toolName);
    if (index === -1) return asToolCallId(shortId(standIn));
    const [call] = this.#unnamed.splice(index, 1);
    return call?.callId ?? asToolCallId(shortId(standIn));
  }
}

/**
 * How texts begin with which agents hand a summary of the conversation to their next model call, in the role of the
 * user. In a request nothing else tells them from what a person typed.
 *
 * @see https://github.com/openai/codex/blob/main/codex-rs/core/templates/compact/summary_prefix.md
 * @see https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/src/core/messages.ts
 * @see https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/core/prompts.ts
 * @see https://github.com/langchain-ai/langchain/blob/master/libs/langchain_v1/langchain/agents/middleware/summarization.py
 */
const SUMMARY =
  /^\s*(?:This session is being continued from a previous conversation|Another language model (?:started to solve this problem|worked on this task) and produced a summary|The conversation history before this point was compacted into|Here is a summary of the conversation to date:|You are in the middle of a conversation that has been summarized|<(?:state_snapshot|conversation-summary)>)/;

/**
 * Texts that Claude Code and Codex add as a whole. A person may well write in tags: only names that nobody else uses
 * are here, and nothing may follow the closing tag.
 */
const NOTICE =
  /^\s*(?:\[Request interrupted by user(?: for tool use)?\]|# AGENTS\.md instructions for [\s\S]*|<(system-reminder|local-command-(?:stdout|stderr|caveat)|bash-std(?:out|err)|task-notification|environment_context|turn_aborted|user_shell_command|subagent_notification)>[\s\S]*<\/\1>)\s*$/;

const isSummary = (part: Part): boolean => part.type === "text" && SUMMARY.test(part.text);
const isNotice = (part: Part): boolean => part.type === "text" && NOTICE.test(part.text);

/**
 * Who wrote a user turn, as its words tell: undefined for a person, also where a program added something. For turns
 * whose log does not say it.
 */
export function turnAuthor(parts: readonly Part[]): MessageOrigin | undefined {
  if (parts.length === 0 || !parts.every((part) => isSummary(part) || isNotice(part))) return undefined;
  return parts.some(isSummary) ? "compaction" : "harness";
}

/** Divides a user turn into the summary that it opens with and what a person typed after it; null if it is not both. */
export function afterSummary(
  parts: readonly Part[],
): { readonly summary: readonly Part[]; readonly typed: readonly Part[] } | null {
  const at = parts.findIndex((part) => !(isSummary(part) || isNotice(part)));
  const [summary, typed] = [parts.slice(0, at), parts.slice(at)];
  return at > 0 && turnAuthor(summary) === "compaction" ? { summary, typed } : null;
}
