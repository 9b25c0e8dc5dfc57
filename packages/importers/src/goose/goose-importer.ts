import type { JsonValue, MediaPart, Part, ToolResultPart } from "@threadfold/core";
import { databaseThreads, rowOf } from "../reading/database-source.ts";
import {
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
} from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import { documentThreads } from "../reading/source-threads.ts";
import type { DraftMessage, SessionDraft } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import { opaquePart, toolResultContent } from "../session/shared-readers.ts";

/**
 * Imports sessions of Goose: a log with one line about the session and one per message; the document that `goose
 * session export` writes; or rows of its database `sessions.db`, whose tables are defined in
 * `crates/goose/src/session/session_manager.rs` of https://github.com/block/goose.
 */
export const gooseImporter: SessionImporter = {
  format: "goose",
  detect: detectGoose,
  threads: (source) =>
    source.records.some(({ value }) => isRow(value)) ? databaseThreads(source) : documentThreads(source, isExport),
  import(source, draft) {
    const { frame, messages } = readSession(source, draft);
    const values = messages.map(({ value }) => value);
    const opening = openingOf(source.source, frame, values, (value) => objectOf(value)?.role === "assistant");
    draft.startAt(frame.created_at);
    const signer = signerOf(frame);
    let areAllHidden: boolean | undefined;
    for (const [index, message] of messages.entries()) {
      const hidden = hiddenFrom(message.value);
      const isSummary = areAllHidden === true && hidden === "user";
      const standIn = `${seedOf(opening)}-${index}`;
      addMessage(message, { standIn, isSummary, signer, next: values[index + 1] }, draft);
      areAllHidden = hidden === "agent" && (areAllHidden ?? true);
    }
    const row = source.records.find(({ value }) => isRow(value))?.value;
    const sessionId = nonEmptyText(row === undefined ? frame.id : objectOf(row)?.session_id);
    const isDocument = messages[0]?.at.path !== undefined;
    const model = modelOf(frame);
    return {
      ...(sessionId !== undefined && { sessionId }),
      opening,
      records: isDocument ? messages.length : source.records.length,
      system: [],
      tools: [],
      ...(model !== undefined && { model }),
    };
  },
};

/** The model that the session was configured with. The database keeps the configuration as JSON text. */
function modelOf({ model_config: config, model_config_json: json }: ForeignObject): string | undefined {
  const parsed = parseJson(textOf(json) ?? "");
  return nonEmptyText(objectOf(parsed.ok ? parsed.value : config)?.model_name)?.toWellFormed();
}

/** The provider that signs thoughts: Google when the session was configured with Gemini, else Anthropic. */
const signerOf = (frame: ForeignObject): Signer =>
  [modelOf(frame), textOf(frame.provider_name)].some((name) => /gemini|^google/i.test(name ?? ""))
    ? "google"
    : "anthropic";

const blocksOf = (message: unknown): readonly ForeignObject[] => objectsOf(objectOf(message)?.content);

/** How many records are examined. */
const SAMPLE = 50;

function detectGoose({ records }: SourceRecords): number {
  const values = records.slice(0, SAMPLE).map(({ value }) => value);
  if (values.some(isExport) || values.some(hasToolBlock) || records.some(({ value }) => isRow(value))) return 1;
  return isHeader(values[0]) ? 0.9 : 0;
}

function isExport(value: unknown): boolean {
  const document = objectOf(value);
  return listOf(document?.conversation) !== undefined && textOf(document?.working_dir) !== undefined;
}

/** Checks for a message row of the database. */
const isRow = (value: unknown): boolean => textOf(rowOf(value, "messages")?.content_json) !== undefined;

/** Converts a message row of the database to the form that a log has. */
function loggedMessage(value: unknown): unknown {
  const row = rowOf(value, "messages");
  if (row === undefined) return value;
  const [content, metadata] = [row.content_json, row.metadata_json].map((json) => parseJson(textOf(json) ?? ""));
  return {
    ...{ id: row.message_id, role: row.role, created: row.created_timestamp },
    content: content?.ok === true ? content.value : undefined,
    metadata: metadata?.ok === true ? metadata.value : undefined,
  };
}

/** Checks for the first line of a log. */
function isHeader(value: unknown): boolean {
  const header = objectOf(value);
  return header !== undefined && header.role === undefined && textOf(header.working_dir) !== undefined;
}

const hasToolBlock = (value: unknown): boolean =>
  blocksOf(value).some(({ type }) => type === "toolRequest" || type === "toolResponse");

interface Placed {
  readonly value: unknown;
  readonly at: SourcePointer;
}

function readSession(
  { records }: SourceRecords,
  draft: SessionDraft,
): { readonly frame: ForeignObject; readonly messages: readonly Placed[] } {
  const [first] = records;
  const document = records.length === 1 && isExport(first?.value) ? objectOf(first?.value) : undefined;
  if (first !== undefined && document !== undefined) {
    const entries = listOf(document.conversation) ?? [];
    const at = (index: number) => ({ line: first.line, path: `/conversation/${index}` });
    return { frame: document, messages: entries.map((value, index) => ({ value, at: at(index) })) };
  }
  const headers = records.filter(({ value }) => isHeader(value));
  for (const { line } of headers) draft.skip("session", line);
  const messages = records
    .filter(({ value }) => !isHeader(value))
    .map(({ value, line }) => ({ value: loggedMessage(value), at: { line } }));
  return { frame: objectOf(headers[0]?.value) ?? {}, messages };
}

/** Whom a message is hidden from: the agent when a summary replaced it, the user when Goose itself wrote it. */
function hiddenFrom(value: unknown): "agent" | "user" | undefined {
  const metadata = objectOf(objectOf(value)?.metadata);
  return metadata?.agentVisible === false ? "agent" : metadata?.userVisible === false ? "user" : undefined;
}

type Signer = "anthropic" | "google";

/** What a message does not say about itself. */
interface Context {
  readonly standIn: string;
  /** Whether it is Goose's own summary, the first message of all that the agent still sees. */
  readonly isSummary: boolean;
  readonly signer: Signer;
  /** The message after it, which has the results of its calls. */
  readonly next: unknown;
}

function addMessage({ value, at }: Placed, context: Context, draft: SessionDraft): void {
  const { standIn, isSummary } = context;
  const message = objectOf(value);
  const blocks = listOf(message?.content);
  if (message === undefined || blocks === undefined || (message.role !== "user" && message.role !== "assistant"))
    return draft.reportMalformed(at, "it is not a message with a known role");
  const id = nonEmptyText(message.id) ?? standIn;
  const common = { source: at, time: message.created };
  const results = blocks.flatMap((block, index) => readResult(block, `${id}-${index}`, draft));
  for (const [index, result] of results.entries())
    draft.add({ ...common, id: index === 0 ? id : `${id}.${index}`, role: "tool", parts: [result] });
  const signer = blocksOf(message).some((block) => signatureOf(block) !== undefined) ? "google" : context.signer;
  const parts = blocks.flatMap((block, index) => readPart(block, { standIn: `${id}-${index}`, signer }, draft));
  if (results.length > 0 && parts.length === 0) return;
  const shown = textOf(objectOf(blocks[0])?.type);
  if (parts.length === 0 && shown !== undefined) return draft.skip(shown, at);
  const isOwn = message.role === "user" && hiddenFrom(message) === "user";
  const messageId = draft.add({
    ...{ ...common, id: results.length === 0 ? id : `${id}.rest`, role: message.role, parts },
    ...(isOwn && { origin: isSummary ? "compaction" : "harness" }),
  });
  if (isOwn && isSummary) draft.compactions.push({ messageId });
  if (context.next !== undefined) addUnreadResults(blocks, context.next, { ...common, id }, draft);
}

/** Blocks that the user is shown, and that no model is sent; the last three are of older versions. */
const SHOWN_ONLY: ReadonlySet<unknown> = new Set([
  ...["systemNotification", "toolConfirmationRequest", "actionRequired"],
  ...["conversationCompacted", "contextLengthExceeded", "summarizationRequested"],
]);

/** Reads a block as parts; none for a result, which is a separate message. */
function readPart(
  block: unknown,
  { standIn, signer }: { readonly standIn: string; readonly signer: Signer },
  draft: SessionDraft,
): readonly Part[] {
  const fields = objectOf(block) ?? {};
  if (fields.type === "toolResponse" || SHOWN_ONLY.has(fields.type)) return [];
  if (fields.type === "toolRequest" || fields.type === "frontendToolRequest") {
    const call = objectOf(outcomeValue(fields.toolCall)) ?? {};
    const toolName = unreadError(fields) === undefined ? (textOf(call.name) ?? "") : UNREADABLE;
    const callId = draft.calls.open(fields.id, toolName, standIn);
    const thoughtSignature = signatureOf(fields);
    const input = (call.arguments ?? {}) as JsonValue;
    const signed = thoughtSignature !== undefined && { providerMetadata: { google: { thoughtSignature } } };
    return [{ type: "tool-call", callId, toolName, input, ...signed }];
  }
  return [readContent(block, signer)];
}

/** Gemini's signature of a call, which older versions kept beside its metadata. */
const signatureOf = ({ metadata, thoughtSignature }: ForeignObject): string | undefined =>
  nonEmptyText(objectOf(metadata)?.thoughtSignature) ?? nonEmptyText(thoughtSignature);

/** The tool that Goose sends a call as when it could not read what the model wrote. */
const UNREADABLE = "unparseable_tool_call";

/** Why Goose could not read a call. */
function unreadError({ type, toolCall }: ForeignObject): string | undefined {
  const outcome = objectOf(toolCall);
  const isCall = type === "toolRequest" || type === "frontendToolRequest";
  return isCall && outcome?.status === "error" ? (textOf(outcome.error) ?? "") : undefined;
}

/** Adds the reason as the result of each such call that has none. */
function addUnreadResults(
  blocks: readonly unknown[],
  next: unknown,
  { id, ...common }: Pick<DraftMessage, "id" | "source" | "time">,
  draft: SessionDraft,
): void {
  const answered = new Set(blocksOf(next).flatMap(({ type, id: callId }) => (type === "toolResponse" ? [callId] : [])));
  for (const [index, block] of blocks.entries()) {
    const fields = objectOf(block) ?? {};
    const text = unreadError(fields);
    if (text === undefined || answered.has(fields.id)) continue;
    const call = draft.calls.answer(fields.id, UNREADABLE, `${id}-${index}`);
    const result = { ...call, outcome: "failure", content: { type: "text", text } } as const;
    draft.add({ ...common, id: `${id}-${index}-error`, role: "tool", parts: [{ type: "tool-result", result }] });
  }
}

/** The value of an outcome that succeeded, or the error of one that failed. */
function outcomeValue(outcome: unknown): unknown {
  const fields = objectOf(outcome);
  return fields !== undefined && "value" in fields ? fields.value : (fields?.error ?? outcome);
}

function readContent(block: unknown, signer: Signer = "anthropic"): Part {
  const fields = objectOf(block) ?? {};
  const text = textOf(fields.type === "thinking" ? fields.thinking : fields.text);
  if (fields.type === "text" && text !== undefined) return { type: "text", text };
  const embedded = fields.type === "resource" ? textOf(objectOf(fields.resource)?.text) : undefined;
  if (embedded !== undefined) return { type: "text", text: embedded };
  if (fields.type === "thinking" && text !== undefined) {
    const signature = nonEmptyText(fields.signature);
    const signed = signature === undefined ? { provider: "goose" } : { provider: signer, signature };
    return { type: "reasoning", text, ...signed };
  }
  const encrypted = fields.type === "redactedThinking" ? textOf(fields.data) : undefined;
  if (encrypted !== undefined) return { type: "reasoning", text: "", provider: "anthropic", encrypted };
  return (fields.type === "image" ? readImage(fields) : undefined) ?? opaquePart("goose", block);
}

function readImage({ data, mimeType }: ForeignObject): MediaPart | undefined {
  const [base64, mediaType] = [textOf(data), textOf(mimeType)];
  if (base64 === undefined || mediaType === undefined) return undefined;
  return { type: "image", source: { kind: "base64", mediaType, data: base64 } };
}

/** What Goose answers in the place of a tool that the user did not let run. */
const DECLINED = /^The user has declined to run this tool\b/;

function readResult(block: unknown, standIn: string, draft: SessionDraft): readonly ToolResultPart[] {
  const fields = objectOf(block);
  if (fields?.type !== "toolResponse") return [];
  const value = outcomeValue(fields.toolResult);
  const result = objectOf(value);
  const content = sentContent(listOf(result?.content) ?? value);
  const isDeclined = DECLINED.test(textOf(objectOf(listOf(content)?.[0])?.text) ?? "");
  const hasFailed = objectOf(fields.toolResult)?.status === "error" || result?.isError === true || isDeclined;
  return [
    {
      type: "tool-result",
      result: {
        ...draft.calls.answer(fields.id, undefined, standIn),
        outcome: hasFailed ? "failure" : "success",
        content: toolResultContent(content, (piece) => readContent(piece)),
      },
    },
  ];
}

/** Leaves out the blocks that a tool returned only for the screen. */
const sentContent = (content: unknown): unknown =>
  listOf(content)?.filter((block) => {
    const audience = listOf(objectOf(objectOf(block)?.annotations)?.audience);
    return audience === undefined || audience.includes("assistant");
  }) ?? content;
