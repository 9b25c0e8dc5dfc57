import { stripVTControlCharacters } from "node:util";
import type { JsonValue, MediaPart, Part, ReasoningPart, ToolResultPart } from "@threadfold/core";
import { responseReasoning } from "../openai-responses/response-parts.ts";
import { databaseThreads, rowOf } from "../reading/database-source.ts";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  parseJson,
  textOf,
} from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import { opaquePart } from "../session/shared-readers.ts";

/**
 * Imports sessions of Crush from its database `.crush/crush.db`: rows of `sessions` and `messages`, whose `parts` are
 * JSON, as defined in `internal/db/migrations` and `internal/message/content.go` of
 * https://github.com/charmbracelet/crush.
 */
export const crushImporter: SessionImporter = {
  format: "crush",
  detect: ({ records }) => (records.some(({ value }) => textOf(rowOf(value, "messages")?.parts) !== undefined) ? 1 : 0),
  threads: databaseThreads,
  import({ records }, draft) {
    let sessionId: string | undefined;
    for (const { value, line } of records) {
      const message = rowOf(value, "messages");
      if (message !== undefined) {
        sessionId ??= nonEmptyText(message.session_id);
        addMessage(message, { line }, draft);
      } else if (rowOf(value, "sessions") !== undefined) draft.skip("session", line);
      else draft.skipUnknown(textOf(objectOf(value)?.table) ?? "unknown", line);
    }
    const model = newestModel(draft.messages);
    return {
      records: records.length,
      system: [],
      tools: [],
      ...(sessionId !== undefined && { sessionId }),
      ...(model !== undefined && { model }),
    };
  },
};

function addMessage(row: ForeignObject, at: SourcePointer, draft: SessionDraft): void {
  const parsed = parseJson(textOf(row.parts) ?? "");
  const pieces = parsed.ok ? listOf(parsed.value) : undefined;
  const { role } = row;
  if (pieces === undefined || (role !== "user" && role !== "assistant" && role !== "tool" && role !== "system"))
    return draft.reportMalformed(at, "it is not a message with a known role and parts");
  const id = nonEmptyText(row.id) ?? `message-${at.line}`;
  const common = { source: at, time: row.created_at };
  const results = pieces.flatMap((piece, index) => readResult(piece, `${id}-${index}`, draft));
  for (const [index, result] of results.entries())
    draft.add({ ...common, id: index === 0 ? id : `${id}.${index}`, role: "tool", parts: [result] });
  const isText = (piece: unknown) => attachedText(piece) !== undefined;
  const own = pieces.filter((piece) => !isText(piece));
  const added = pieces.flatMap((piece) => attachedText(piece) ?? []);
  const parts = own.flatMap((piece, index) => readPart(piece, role, `${id}-${index}`, draft));
  if (results.length > 0 && parts.length === 0 && added.length === 0) return;
  const model = nonEmptyText(row.model);
  const isSummary = row.is_summary_message === 1;
  const messageId = draft.add({
    ...{ ...common, id: results.length === 0 ? id : `${id}.rest`, role: role === "tool" ? "user" : role, parts },
    ...(model !== undefined && role === "assistant" && { model }),
    // A question that Crush added itself to continue, or nothing but output.
    ...(pieces.some(isHidden) || isOutput(own) ? { origin: "harness" as const } : {}),
    ...(isSummary && { origin: "compaction" as const }),
  });
  if (isSummary) draft.compactions.push({ messageId });
  if (added.length > 0) draft.add({ ...common, id: `${id}.added`, role: "user", origin: "harness", parts: added });
}

const isHidden = (piece: unknown): boolean => dataOf(piece, "text")?.hidden === true;

/** Checks whether a message is only what commands printed that the user ran beside the conversation. */
const isOutput = (pieces: readonly unknown[]): boolean =>
  pieces.some((piece) => dataOf(piece, "shell_command")) &&
  pieces.every((piece) => dataOf(piece, "shell_command") || dataOf(piece, "finish"));

/** A text file that the user attached, in the form in which Crush sends it. */
function attachedText(piece: unknown): Part | undefined {
  const { Path: path, MIMEType: mediaType, Data: data } = dataOf(piece, "binary") ?? {};
  if (typeof data !== "string" || textOf(mediaType)?.startsWith("text/") !== true) return undefined;
  const opened = nonEmptyText(path) === undefined ? "<file>" : `<file path='${path}'>`;
  return { type: "text", text: `${opened}\n\n${Buffer.from(data, "base64").toString("utf8")}\n</file>` };
}

/** The data of a piece of the given type. */
function dataOf(piece: unknown, type: string): ForeignObject | undefined {
  const fields = objectOf(piece);
  return fields?.type === type ? objectOf(fields.data) : undefined;
}

/**
 * Reads a piece as parts: none for a result, which is a separate message, or for pieces that only say how the message
 * ended.
 */
function readPart(piece: unknown, role: string, standIn: string, draft: SessionDraft): readonly Part[] {
  const { type, data } = objectOf(piece) ?? {};
  const fields = objectOf(data) ?? {};
  switch (type) {
    case "finish":
    case "_meta":
    case "tool_result":
      return [];
    case "text":
      return textOf(fields.text) === "" ? [] : [readText(fields) ?? opaquePart("crush", piece)];
    case "reasoning":
      return [readReasoning(fields)];
    case "tool_call": {
      if (role !== "assistant") return [opaquePart("crush", piece)];
      const toolName = textOf(fields.name) ?? "";
      const callId = draft.calls.open(fields.id, toolName, standIn);
      return [{ type: "tool-call", callId, toolName, input: readInput(fields.input) }];
    }
    case "shell_command":
      return [{ type: "text", text: commandText(fields) }];
    case "binary":
      return [readBinary(fields) ?? opaquePart("crush", piece)];
    default:
      return [opaquePart("crush", piece)];
  }
}

const readText = ({ text }: ForeignObject): Part | undefined =>
  typeof text === "string" ? { type: "text", text } : undefined;

/** A command that the user ran, in the form in which Crush sends it. */
function commandText({ command, output, exit_code: exitCode }: ForeignObject): string {
  const code = countOf(exitCode);
  const printed = stripVTControlCharacters(textOf(output) ?? "");
  return `$ ${textOf(command) ?? ""}\n${printed}${code === undefined ? "" : `\n(exit code ${code})`}`;
}

function readReasoning(fields: ForeignObject): ReasoningPart {
  const { thinking, signature, thought_signature: thought, responses_data: wrapped } = fields;
  const text = textOf(thinking) ?? "";
  const openai = objectOf(objectOf(wrapped)?.data) ?? objectOf(wrapped);
  if (nonEmptyText(openai?.encrypted_content) !== undefined) {
    const summary = (listOf(openai?.summary) ?? []).map((words) => ({ type: "summary_text", text: words }));
    const item = { type: "reasoning", id: openai?.item_id, summary, encrypted_content: openai?.encrypted_content };
    return { ...responseReasoning(item), text };
  }
  const [anthropic, google] = [nonEmptyText(signature), nonEmptyText(thought)];
  if (anthropic !== undefined) return { type: "reasoning", text, provider: "anthropic", signature: anthropic };
  if (google !== undefined) return { type: "reasoning", text, provider: "google", signature: google };
  return { type: "reasoning", text, provider: "crush" };
}

/** Arguments are JSON text; truncated JSON is kept as text. */
function readInput(input: unknown): JsonValue {
  const text = textOf(input) ?? "";
  const parsed = parseJson(text === "" ? "{}" : text);
  return parsed.ok ? (parsed.value as JsonValue) : text;
}

/** Reads an attached file: Go writes field names unchanged and bytes in Base64. */
function readBinary({ MIMEType: mediaType, Data: data, Path: name }: ForeignObject): MediaPart | undefined {
  if (typeof mediaType !== "string" || typeof data !== "string") return undefined;
  const named = nonEmptyText(name);
  return {
    type: mediaType.startsWith("image/") ? "image" : "file",
    source: { kind: "base64", mediaType, data },
    ...(named !== undefined && { name: named }),
  };
}

function readResult(piece: unknown, standIn: string, draft: SessionDraft): readonly ToolResultPart[] {
  const data = dataOf(piece, "tool_result");
  if (data === undefined) return [];
  const text = textOf(data.content) ?? "";
  const [base64, mediaType] = [nonEmptyText(data.data), nonEmptyText(data.mime_type)];
  const picture: readonly Part[] =
    base64 === undefined || mediaType === undefined
      ? []
      : [
          {
            type: mediaType.startsWith("image/") ? "image" : "file",
            source: { kind: "base64", mediaType, data: base64 },
          },
        ];
  return [
    {
      type: "tool-result",
      result: {
        ...draft.calls.answer(data.tool_call_id, nonEmptyText(data.name), standIn),
        outcome: data.is_error === true ? "failure" : "success",
        content:
          picture.length === 0
            ? { type: "text", text }
            : { type: "blocks", blocks: [{ type: "text", text }, ...(picture as readonly MediaPart[])] },
      },
    },
  ];
}
