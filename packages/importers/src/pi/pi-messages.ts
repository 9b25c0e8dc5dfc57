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

/** Where an entry's message goes: the draft, and the side branch if it is on one. */
export interface PiTarget {
  /** Where the messages go. */
  readonly draft: SessionDraft;
  /** The branch that they stand on; undefined for the main one. */
  readonly branch: string | undefined;
}

type ReadMessage = (message: ForeignObject, entry: PiEntry, target: PiTarget) => MessageId | undefined;

/** How each role of a `message` entry is read. A map and not an object, for the role comes from the log. */
const READERS: ReadonlyMap<unknown, ReadMessage> = new Map<string, ReadMessage>([
  ["user", (message, entry, target) => addUser(piContentParts(message.content), undefined, entry, target)],
  ["assistant", addAssistant],
  ["toolResult", addToolResult],
  ["bashExecution", addBashExecution],
  // Version 2 called the messages of extensions `hookMessage`.
  ["custom", (message, entry, target) => addUser(piContentParts(message.content), "harness", entry, target)],
  ["hookMessage", (message, entry, target) => addUser(piContentParts(message.content), "harness", entry, target)],
]);

/** Adds the message of a `message` entry. @returns its id; undefined when the entry holds none for the model. */
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

/** Adds a message of role user, whether a person typed it or the harness or a compaction put it there. */
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
 * A command that the user ran outside the conversation, as the text that the model reads: command, output and how it
 * ended.
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
 * Usage as pi writes it: `input` leaves out what was read from or written to the cache. A report of nothing but zeros,
 * which pi writes for aborted calls, counts as none.
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

/** A block of a user message or a tool result: text or a picture. */
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

/** The parts of a message's content, which is a string or a list of blocks. */
export function piContentParts(content: unknown): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(piPart);
  return content === undefined || content === null ? [] : [opaquePart("pi", content)];
}

/** The parts of an assistant message. Signatures and item ids belong to the API that the model was called through. */
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
 * The provider's own id of a call. pi writes calls of OpenAI Responses as `call_…|fc_…`: the id of the call, and that
 * of the item which it came in.
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
  // Chat completions sign nothing: there, the field names where in the message the thoughts stood.
  if (api === "openai-completions")
    return { type: "reasoning", text, provider, providerMetadata: { [provider]: { field: signature } } };
  return provider === "openai" ? readReasoningItem(text, signature) : { type: "reasoning", text, provider, signature };
}

/** OpenAI Responses: the signature is the whole reasoning item as JSON, its encrypted content inside. */
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
