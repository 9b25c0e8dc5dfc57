import type { MessageId, Part, ReasoningPart, ToolCallPart, ToolResultPart, Usage } from "@threadfold/core";
import { geminiSystem, geminiTools } from "../gemini/gemini-messages.ts";
import { geminiModelParts, geminiUserTurn } from "../gemini/gemini-parts.ts";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { documentThreads } from "../reading/source-threads.ts";
import type { ImportedCompaction } from "../session/imported-session.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { openingOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import {
  type GeminiCliMessage,
  isGeminiAnswer,
  isGeminiCliDocument,
  isGeminiCliHeader,
  isSavedChat,
  readGeminiCliLog,
} from "./gemini-cli-log.ts";
import { isQwenRecord, readQwenLog } from "./qwen-log.ts";

/**
 * Imports chats that Gemini CLI records under `~/.gemini/tmp`: one document per session, or one record per line; those
 * that the user saved with `/chat save`, and the bodies of requests to Gemini's API, which have the same contents; and
 * those of Qwen Code under `~/.qwen`.
 */
export const geminiCliImporter: SessionImporter = {
  format: "gemini-cli",
  detect: detectGeminiCli,
  threads: (source) => documentThreads(source, isGeminiCliDocument),
  import(source, draft) {
    const isQwen = source.records.some(({ value }) => isQwenRecord(value));
    const { frame, messages, records } = (isQwen ? readQwenLog : readGeminiCliLog)(source, draft);
    draft.startAt(frame.startTime);
    const ids = new Map<string, MessageId>();
    for (const message of messages) addMessage(message, ids, draft);
    const sessionId = nonEmptyText(frame.sessionId);
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      ...(sessionId !== undefined && { sessionId }),
      opening: openingOf(
        source.source,
        frame,
        messages.map(({ message }) => message),
        isGeminiAnswer,
      ),
      records,
      system: geminiSystem(frame.systemInstruction),
      tools: geminiTools(frame.tools, draft),
      ...(model !== undefined && { model }),
    };
  },
};

/** How many records are examined. */
const SAMPLE = 50;

function detectGeminiCli(source: SourceRecords): number {
  if (isSavedChat(source)) return 0.9;
  const values = source.records.slice(0, SAMPLE).map(({ value }) => value);
  if (values.some((value) => isGeminiCliHeader(value) || isGeminiCliDocument(value) || isQwenRecord(value))) return 1;
  return values.some(isGeminiAnswer) ? 0.9 : 0;
}

/** What all messages made from one recorded message have in common. */
interface Placed {
  readonly draft: SessionDraft;
  readonly source: GeminiCliMessage["at"];
  readonly branch?: string;
  readonly sourceLines?: readonly number[];
}

/** Messages that Gemini CLI shows to the user but sends to no model. */
const SHOWN_ONLY: ReadonlySet<string> = new Set(["info", "error", "warning"]);

/** Adds a message, and the first id that it has to those by recorded id. */
function addMessage(recorded: GeminiCliMessage, ids: Map<string, MessageId>, draft: SessionDraft): void {
  const { message, at, lines, branch } = recorded;
  const placed: Placed = {
    draft,
    source: at,
    ...(branch !== undefined && { branch }),
    ...(lines.length > 1 && { sourceLines: lines }),
  };
  const before = draft.messages.length;
  if (recorded.compression !== undefined) addSummary(recorded, recorded.compression, placed, ids);
  else if (message.type === "user") addUser(message, placed);
  else if (message.type === "gemini") addAnswer(message, placed);
  else
    for (const place of lines.length === 0 ? [at] : lines.map((line) => ({ line }))) skip(message.type, place, draft);
  const added = draft.messages[before];
  if (added !== undefined) ids.set(textOf(message.id) ?? "", added.id);
}

/** Adds the summary of a compression as the text that the model was given. */
function addSummary(
  { message }: GeminiCliMessage,
  { firstKeptId, tokensBefore }: NonNullable<GeminiCliMessage["compression"]>,
  { draft, ...placed }: Placed,
  ids: ReadonlyMap<string, MessageId>,
): void {
  const { rest } = geminiUserTurn(message.content, draft, placed.source);
  const own = { id: nonEmptyText(message.id) ?? "summary", role: "user", origin: "compaction" } as const;
  const messageId = draft.add({ ...placed, ...own, parts: rest, time: message.timestamp });
  const firstKeptMessageId = ids.get(firstKeptId ?? "");
  if (placed.branch === undefined)
    draft.compactions.push(withoutUndefined({ messageId, firstKeptMessageId, tokensBefore } as ImportedCompaction));
}

function skip(type: unknown, at: GeminiCliMessage["at"], draft: SessionDraft): void {
  if (typeof type !== "string") draft.reportMalformed(at, "its message has no type");
  else if (SHOWN_ONLY.has(type)) draft.skip(type, at);
  else draft.skipUnknown(type, at);
}

function addUser(message: ForeignObject, { draft, ...placed }: Placed): void {
  const { results, rest } = geminiUserTurn(message.content, draft, placed.source);
  const id = nonEmptyText(message.id) ?? "user";
  for (const [index, answer] of results.entries()) {
    const result = FAILED.has(message.status) || hasExited(answer) ? failed(answer) : answer;
    draft.add({ ...placed, id: `${id}.${index}`, role: "tool", parts: [result], time: message.timestamp });
  }
  if (results.length > 0 && rest.length === 0) return;
  const { before, kept, after } = withoutHooks(rest);
  const [own, files] = withoutFiles(kept);
  const added = [...files, ...after];
  const isContext =
    own.every((part) => part.type === "text" && CONTEXT.test(part.text)) || message.isByProgram === true;
  const isBare = own.length === 0 && before.length + added.length > 0;
  const pieces = [
    { suffix: ".before", parts: before, isByProgram: true },
    ...(isBare ? [] : [{ suffix: "", parts: own, isByProgram: own.length > 0 && isContext }]),
    { suffix: ".added", parts: added, isByProgram: true },
  ].filter(({ suffix, parts }) => suffix === "" || parts.length > 0);
  for (const [index, { suffix, parts, isByProgram }] of pieces.entries()) {
    const common = { ...placed, role: "user", time: message.timestamp, parts } as const;
    const pieceId = isBare && index === 0 ? id : `${id}${suffix}`;
    draft.add({ ...common, id: pieceId, ...(isByProgram && { origin: "harness" }) });
  }
}

/** How a text is marked that a hook added: by Gemini CLI anywhere, by Qwen Code after what the user typed. */
const HOOKED = [
  { opened: "<hook_context>", closed: "</hook_context>", isAfter: false },
  { opened: "<qwen:user-prompt-submit-context>", closed: "</qwen:user-prompt-submit-context>", isAfter: true },
];

/** Takes what hooks added out of a message of the user. */
function withoutHooks(parts: readonly Part[]): Readonly<Record<"before" | "kept" | "after", readonly Part[]>> {
  const [before, kept, after]: [Part[], Part[], Part[]] = [[], [], []];
  for (const part of parts) {
    const text = part.type === "text" ? part.text : "";
    const mark = HOOKED.find(({ opened, isAfter }) => text.startsWith(opened) && (!isAfter || kept.length > 0));
    const end = mark === undefined ? -1 : text.indexOf(mark.closed);
    if (mark === undefined || part.type !== "text" || end < 0) {
      kept.push(part);
      continue;
    }
    const [hooked, typed] = [text.slice(0, end + mark.closed.length), text.slice(end + mark.closed.length).trimStart()];
    (kept.length === 0 ? before : after).push({ ...part, text: hooked });
    if (typed !== "") kept.push({ ...part, text: typed });
  }
  return { before, kept, after };
}

/** How the text begins that Gemini CLI opens every chat with. */
const CONTEXT = /^\s*(?:<session_context>|This is the Gemini CLI\. We are setting up the context for our chat\.)/;
/** The line above the files that a user's message refers to. Everything from there on is added to it. */
const FILES = /(?:^|\n)--- Content from referenced files ---/;

/** Splits a message of the user into their own words, and the files that Gemini CLI added below them. */
function withoutFiles(parts: readonly Part[]): readonly [own: readonly Part[], added: readonly Part[]] {
  for (const [index, part] of parts.entries()) {
    const start = part.type === "text" ? part.text.search(FILES) : -1;
    if (part.type !== "text" || start < 0) continue;
    const [before, after] = [part.text.slice(0, start), part.text.slice(start)];
    const own = before === "" ? [] : [{ ...part, text: before }];
    return [
      [...parts.slice(0, index), ...own],
      [{ ...part, text: after }, ...parts.slice(index + 1)],
    ];
  }
  return [parts, []];
}

function addAnswer(message: ForeignObject, placed: Placed): void {
  const { draft, ...where } = placed;
  const id = nonEmptyText(message.id) ?? "gemini";
  const said = geminiModelParts(message.content === "" ? [] : message.content, draft, placed.source);
  const calls = (listOf(message.toolCalls) ?? []).flatMap((entry): readonly ForeignObject[] => {
    const call = objectOf(entry);
    return call === undefined ? [] : [call];
  });
  const usage = usageOf(message.tokens);
  const model = nonEmptyText(message.model);
  draft.add({
    ...where,
    ...{ id, role: "assistant", time: message.timestamp },
    parts: [...thoughtsOf(message.thoughts), ...said, ...callParts(calls, said, id, draft)],
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
  });
  for (const [index, call] of calls.entries()) addResult(call, `${id}-${index}`, placed);
}

/** Thoughts as the model wrote them: Gemini CLI separates the heading from the text. */
function thoughtsOf(thoughts: unknown): readonly ReasoningPart[] {
  return (listOf(thoughts) ?? []).flatMap((entry) => {
    const thought = objectOf(entry);
    const subject = nonEmptyText(thought?.subject);
    const text = [subject && `**${subject}**`, nonEmptyText(thought?.description)].filter(Boolean).join("\n");
    return text === "" ? [] : [{ type: "reasoning" as const, provider: "google", text }];
  });
}

/** The calls of a message, except those that are already among its parts. */
function callParts(
  calls: readonly ForeignObject[],
  said: readonly Part[],
  id: string,
  draft: SessionDraft,
): readonly ToolCallPart[] {
  const known = new Set<unknown>(said.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])));
  return calls.flatMap((call, index) => {
    if (known.has(call.id)) return [];
    const toolName = textOf(call.name) ?? "";
    const callId = draft.calls.open(callIdOf(call, `${id}-${index}`), toolName, `${id}-${index}`);
    return [{ type: "tool-call" as const, callId, toolName, input: (call.args ?? {}) as ToolCallPart["input"] }];
  });
}

/** A call without an id is given one, so that the result recorded with it can refer to it. */
const callIdOf = ({ id }: ForeignObject, standIn: string): string => nonEmptyText(id) ?? standIn;

/** Statuses with which Gemini CLI marks a call as unsuccessful. */
const FAILED: ReadonlySet<unknown> = new Set(["error", "cancelled"]);

/** Adds the result of a call: the response that the model was sent, and anything else that was sent with it. */
function addResult(call: ForeignObject, id: string, { draft, ...placed }: Placed): void {
  if (call.result === undefined || call.result === null) return;
  const parts = (listOf(call.result) ?? [call.result]).map((value) => {
    const response = objectOf(objectOf(value)?.functionResponse);
    return response === undefined ? value : { functionResponse: { ...response, id: callIdOf(call, id) } };
  });
  const { results, rest } = geminiUserTurn(parts, draft, placed.source);
  for (const [index, result] of results.entries())
    draft.add({
      ...{ ...placed, id: `${id}-result${index === 0 ? "" : `-${index}`}`, role: "tool", time: call.timestamp },
      parts: [FAILED.has(call.status) || hasExited(result) ? failed(result) : result],
    });
  if (rest.length > 0)
    draft.add({ ...placed, id: `${id}-more`, role: "user", origin: "harness", parts: rest, time: call.timestamp });
}

/** How the text about a command ends that failed: the tool itself succeeded in running it. */
const EXITED = /\nExit Code: -?[1-9]\d{0,9}(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*){0,3}$/;

function hasExited({ result: { toolName, content } }: ToolResultPart): boolean {
  return (
    toolName === "run_shell_command" && content.type === "text" && EXITED.test(content.text.trimEnd().slice(-1_000))
  );
}

const failed = ({ type, result }: ToolResultPart): ToolResultPart => ({
  type,
  result: { ...result, outcome: "failure" },
});

/** Usage as the API reports it: output excludes thoughts. */
function usageOf(tokens: unknown): Usage | undefined {
  const usage = objectOf(tokens);
  const inputTokens = countOf(usage?.input);
  if (usage === undefined || inputTokens === undefined) return undefined;
  const reasoningTokens = countOf(usage.thoughts);
  return withoutUndefined({
    inputTokens,
    outputTokens: (countOf(usage.output) ?? 0) + (reasoningTokens ?? 0),
    cacheReadTokens: countOf(usage.cached),
    reasoningTokens,
  } as Usage);
}
