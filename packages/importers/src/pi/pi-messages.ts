import type {
  JsonObject,
  JsonValue,
  MessageId,
  MessageOrigin,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  Usage,
} from "@threadfold/core";
import {
  countOf,
  type ForeignObject,
  nonEmptyText,
  objectOf,
  parseJson,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { opaquePart, toolResultContent } from "../session/shared-readers.ts";
import type { PiEntry } from "./pi-tree.ts";

/** The draft that an entry's message is added to, and the entry's side branch, if any. */
export interface PiTarget {
  /** The draft that the messages are added to. */
  readonly draft: SessionDraft;
  /** The branch of the messages; undefined for the main one. */
  readonly branch: string | undefined;
}

type ReadMessage = (message: ForeignObject, entry: PiEntry, target: PiTarget) => MessageId | undefined;

/** The reader for each role of a `message` entry. A map rather than an object, because the role comes from the log. */
const READERS: ReadonlyMap<unknown, ReadMessage> = new Map<string, ReadMessage>([
  ["user", (message, entry, target) => addUser(piContentParts(message.content), undefined, entry, target)],
  ["assistant", addAssistant],
  ["toolResult", addToolResult],
  ["bashExecution", addBashExecution],
  // Version 2 called the messages of extensions `hookMessage`.
  ["custom", (message, entry, target) => addUser(piContentParts(message.content), "harness", entry, target)],
  ["hookMessage", (message, entry, target) => addUser(piContentParts(message.content), "harness", entry, target)],
  // Entries of other types become these messages; a compaction may repeat them.
  ["branchSummary", (message, entry, target) => addUser(piContentParts(message.summary), "harness", entry, target)],
  ["compactionSummary", (message, entry, target) => addUser(piContentParts(message.summary), "harness", entry, target)],
]);

/** Adds the message of a `message` entry. @returns its id; undefined when the entry has nothing for the model. */
export function addPiMessage(entry: PiEntry, target: PiTarget): MessageId | undefined {
  const message = objectOf(entry.fields.message);
  const read = READERS.get(message?.role);
  if (message !== undefined && read !== undefined) return read(message, entry, target);
  target.draft.reportMalformed(
    pointerTo(entry),
    message === undefined ? "it has no message" : "its message has no known role",
  );
  return undefined;
}

/** Adds a message with the role user, whether it comes from a person, the harness or a compaction. */
export function addUser(
  parts: readonly Part[],
  origin: MessageOrigin | undefined,
  entry: PiEntry,
  { draft, branch }: PiTarget,
): MessageId {
  return draft.add({ ...placeOf(entry, branch), role: "user", parts, ...(origin && { origin }) });
}

function addAssistant(message: ForeignObject, entry: PiEntry, { draft, branch }: PiTarget): MessageId {
  const usage = piUsage(message.usage);
  const model = nonEmptyText(message.model);
  return draft.add({
    ...placeOf(entry, branch),
    role: "assistant",
    parts: piAssistantParts(message, draft, pointerTo(entry)),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    notes: withoutUndefined<JsonObject>({
      provider: textOf(message.provider),
      api: textOf(message.api),
      stopReason: textOf(message.stopReason),
      errorMessage: textOf(message.errorMessage),
      responseId: textOf(message.responseId),
    }),
  });
}

function addToolResult(message: ForeignObject, entry: PiEntry, { draft, branch }: PiTarget): MessageId {
  const { callId, itemId } = splitCallId(message.toolCallId);
  const part: ToolResultPart = {
    type: "tool-result",
    result: {
      ...draft.calls.answer(callId, textOf(message.toolName), `result-${entry.line}`),
      outcome: message.isError === true ? "failure" : "success",
      content: toolResultContent(message.content, piPart),
    },
    ...(itemId !== undefined && { providerMetadata: { openai: { itemId } } }),
  };
  return draft.add({ ...placeOf(entry, branch), role: "tool", parts: [part] });
}

function addBashExecution(message: ForeignObject, entry: PiEntry, target: PiTarget): MessageId | undefined {
  if (message.excludeFromContext === true) {
    target.draft.skip("bashExecution kept from the model", entry.line);
    return undefined;
  }
  return addUser([{ type: "text", text: bashExecutionText(message) }], "harness", entry, target);
}

function placeOf(entry: PiEntry, branch: string | undefined) {
  const time = entry.fields.timestamp ?? objectOf(entry.fields.message)?.timestamp;
  return {
    id: entry.id ?? `pi-${entry.line}`,
    time,
    source: pointerTo(entry),
    ...(branch !== undefined && { branch }),
  };
}

const pointerTo = (entry: PiEntry): SourcePointer => ({ line: entry.line });

/**
 * Returns the text that the model reads for a command that the user ran outside the conversation: command, output and
 * outcome.
 */
function bashExecutionText(execution: ForeignObject): string {
  const output = textOf(execution.output) ?? "";
  const lines = [
    `Ran \`${textOf(execution.command) ?? ""}\``,
    output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``,
  ];
  if (execution.cancelled === true) lines.push("(cancelled)");
  else if (typeof execution.exitCode === "number") lines.push(`Exit code ${execution.exitCode}`);
  const fullOutput = textOf(execution.fullOutputPath);
  if (execution.truncated === true && fullOutput !== undefined)
    lines.push(`[Output truncated. Full output: ${fullOutput}]`);
  return lines.join("\n");
}

/**
 * Converts usage as pi writes it: `input` excludes tokens read from or written to the cache. A report of only zeros,
 * which pi writes for aborted calls, is ignored.
 */
function piUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const cacheReadTokens = countOf(usage.cacheRead) ?? 0;
  const cacheWriteTokens = countOf(usage.cacheWrite) ?? 0;
  const inputTokens = (countOf(usage.input) ?? 0) + cacheReadTokens + cacheWriteTokens;
  const outputTokens = countOf(usage.output) ?? 0;
  return inputTokens === 0 && outputTokens === 0
    ? undefined
    : { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

/** Converts a block of a user message or a tool result: text or an image. */
function piPart(block: unknown): Part {
  const fields = objectOf(block);
  const text = textOf(fields?.text);
  if (fields?.type === "text" && text !== undefined) return { type: "text", text };
  const [data, mediaType] = [textOf(fields?.data), textOf(fields?.mimeType)];
  if (fields?.type === "image" && data !== undefined && mediaType !== undefined) {
    return { type: "image", source: { kind: "base64", mediaType, data } };
  }
  return opaquePart("pi", block);
}

/** Returns the parts of a message's content, which is a string or a list of blocks. */
export function piContentParts(content: unknown): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(piPart);
  return content === undefined || content === null ? [] : [opaquePart("pi", content)];
}

/**
 * Returns the parts of an assistant message. Signatures and item ids belong to the API through which the model was
 * called.
 */
function piAssistantParts(message: ForeignObject, draft: SessionDraft, at: SourcePointer): readonly Part[] {
  if (!Array.isArray(message.content)) return piContentParts(message.content);
  const provider = providerOf(message);
  return message.content.map((block: unknown, index): Part => {
    const fields = objectOf(block);
    switch (fields?.type) {
      case "text":
        return readText(fields, provider) ?? opaquePart("pi", block);
      case "thinking":
        return readThinking(fields, provider, message.api);
      case "toolCall":
        return readCall(fields, provider, draft, `call-${at.line}-${index}`);
      default:
        return piPart(block);
    }
  });
}

/**
 * Returns the provider's own id of a call. pi writes calls of OpenAI Responses as `call_…|fc_…`: the ids of the call
 * and of the item that contained it.
 */
function splitCallId(id: unknown): { readonly callId: unknown; readonly itemId?: string } {
  const text = textOf(id);
  const bar = text?.startsWith("call_") ? text.indexOf("|") : -1;
  return text === undefined || bar === -1
    ? { callId: id }
    : { callId: text.slice(0, bar), itemId: text.slice(bar + 1) };
}

function providerOf(message: ForeignObject): string {
  const api = textOf(message.api) ?? "";
  if (api.startsWith("anthropic")) return "anthropic";
  if (api.startsWith("google")) return "google";
  if (api.startsWith("openai") || api.startsWith("azure-openai")) return "openai";
  return nonEmptyText(message.provider) ?? "pi";
}

function readText(block: ForeignObject, provider: string): Part | undefined {
  const text = textOf(block.text);
  if (text === undefined) return undefined;
  const textSignature = nonEmptyText(block.textSignature);
  return textSignature === undefined
    ? { type: "text", text }
    : { type: "text", text, providerMetadata: { [provider]: { textSignature } } };
}

function readThinking(block: ForeignObject, provider: string, api: unknown): ReasoningPart {
  const text = textOf(block.thinking) ?? "";
  const signature = nonEmptyText(block.thinkingSignature);
  if (signature === undefined) return { type: "reasoning", text, provider };
  if (block.redacted === true) return { type: "reasoning", text, provider, encrypted: signature };
  // Chat Completions have no signatures: there, the field names the message field that the thoughts were in.
  if (api === "openai-completions")
    return { type: "reasoning", text, provider, providerMetadata: { [provider]: { field: signature } } };
  return provider === "openai" ? readReasoningItem(text, signature) : { type: "reasoning", text, provider, signature };
}

/** For OpenAI Responses, the signature is the whole reasoning item as JSON, including its encrypted content. */
function readReasoningItem(text: string, signature: string): ReasoningPart {
  const parsed = parseJson(signature);
  const item = parsed.ok ? objectOf(parsed.value) : undefined;
  if (item === undefined) return { type: "reasoning", text, provider: "openai", signature };
  const encrypted = nonEmptyText(item.encrypted_content);
  return {
    type: "reasoning",
    text,
    provider: "openai",
    ...(encrypted !== undefined && { encrypted }),
    providerMetadata: { openai: { item: item as JsonObject } },
  };
}

function readCall(block: ForeignObject, provider: string, draft: SessionDraft, standIn: string): ToolCallPart {
  const toolName = textOf(block.name) ?? "";
  const { callId, itemId } = splitCallId(block.id);
  const thoughtSignature = nonEmptyText(block.thoughtSignature);
  const hasMetadata = itemId !== undefined || thoughtSignature !== undefined;
  return {
    type: "tool-call",
    callId: draft.calls.open(callId, toolName, standIn),
    toolName,
    input: (block.arguments ?? {}) as JsonValue,
    ...(hasMetadata && {
      providerMetadata: { [provider]: withoutUndefined<JsonObject>({ itemId, thoughtSignature }) },
    }),
  };
}
