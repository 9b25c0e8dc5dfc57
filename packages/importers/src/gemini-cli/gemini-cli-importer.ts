import type { Part, ReasoningPart, ToolCallPart, ToolResultPart, Usage } from "@threadfold/core";
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
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { openingOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import {
  type GeminiCliMessage,
  isGeminiAnswer,
  isGeminiCliDocument,
  isGeminiCliHeader,
  readGeminiCliLog,
} from "./gemini-cli-log.ts";

/** The branch of messages that the user undid by going back to an earlier one. */
const REWOUND = "rewound";

/** Imports chats that Gemini CLI records under `~/.gemini/tmp`: one document per session, or one record per line. */
export const geminiCliImporter: SessionImporter = {
  format: "gemini-cli",
  detect: detectGeminiCli,
  threads: (source) => documentThreads(source, isGeminiCliDocument),
  import(source, draft) {
    const { frame, messages, records } = readGeminiCliLog(source, draft);
    draft.startAt(frame.startTime);
    for (const message of messages) addMessage(message, draft);
    const sessionId = nonEmptyText(frame.sessionId);
    const model = newestModel(draft.messages);
    return {
      ...(sessionId !== undefined && { sessionId }),
      opening: openingOf(
        source.source,
        frame,
        messages.map(({ message }) => message),
        isGeminiAnswer,
      ),
      records,
      system: [],
      tools: [],
      ...(model !== undefined && { model }),
    };
  },
};

/** How many records are examined. */
const SAMPLE = 50;

function detectGeminiCli({ records }: SourceRecords): number {
  const values = records.slice(0, SAMPLE).map(({ value }) => value);
  if (values.some((value) => isGeminiCliHeader(value) || isGeminiCliDocument(value))) return 1;
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

function addMessage({ message, at, lines, isRewound }: GeminiCliMessage, draft: SessionDraft): void {
  const placed: Placed = {
    draft,
    source: at,
    ...(isRewound && { branch: REWOUND }),
    ...(lines.length > 1 && { sourceLines: lines }),
  };
  if (message.type === "user") addUser(message, placed);
  else if (message.type === "gemini") addAnswer(message, placed);
  else
    for (const place of lines.length === 0 ? [at] : lines.map((line) => ({ line }))) skip(message.type, place, draft);
}

function skip(type: unknown, at: GeminiCliMessage["at"], draft: SessionDraft): void {
  if (typeof type !== "string") draft.reportMalformed(at, "its message has no type");
  else if (SHOWN_ONLY.has(type)) draft.skip(type, at);
  else draft.skipUnknown(type, at);
}

function addUser(message: ForeignObject, { draft, ...placed }: Placed): void {
  const { results, rest } = geminiUserTurn(message.content, draft, placed.source);
  const id = nonEmptyText(message.id) ?? "user";
  for (const [index, result] of results.entries())
    draft.add({ ...placed, id: `${id}.${index}`, role: "tool", parts: [result], time: message.timestamp });
  if (results.length === 0 || rest.length > 0)
    draft.add({ ...placed, id, role: "user", parts: rest, time: message.timestamp });
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
      parts: [FAILED.has(call.status) ? failed(result) : result],
    });
  if (rest.length > 0)
    draft.add({ ...placed, id: `${id}-more`, role: "user", origin: "harness", parts: rest, time: call.timestamp });
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
