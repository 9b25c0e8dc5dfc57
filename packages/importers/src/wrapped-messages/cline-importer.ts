import { type MessageOrigin, type Part, typedText, type Usage } from "@threadfold/core";
import { addAnthropicMessages, anthropicSystem } from "../anthropic-messages/anthropic-messages.ts";
import { blocksOf } from "../anthropic-messages/anthropic-parts.ts";
import { isAssistantMessage } from "../reading/find-conversation.ts";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/** How many messages are examined for fields that only Cline writes. */
const SAMPLE = 20;

/** How sure it is of a list of messages with Cline's marks but without models: with times, and without. */
const LIKELY = 0.97;
const MAYBE = 0.35;

/**
 * Imports sessions of Cline and its kin: blocks of the Anthropic API in messages that have times, a model and metrics.
 * The newer form is a document; the one that editors keep (`api_conversation_history.json`) is a list of messages. Roo
 * Code and Kilo Code write no models and metrics into it, but mark their own summaries and what they hid. In version 2
 * of Roo Code's, the list is in an envelope, and its messages are those of the AI SDK. What a compaction left of a
 * session, in `.compaction.json` beside it, is another thread.
 */
export const clineImporter: SessionImporter = {
  format: "cline",
  detect: ({ records: [first] }) => (isSession(first?.value) ? 1 : surenessOf(listOf(first?.value)?.slice(0, SAMPLE))),
  threads: (source) => documentThreads(source, isSession),
  import({ source, records: [first] }, draft) {
    const frame = objectOf(first?.value) ?? {};
    const list = listOf(first?.value);
    const messages = list ?? listOf(frame.messages) ?? [];
    const line = first?.line ?? 0;
    const opening = openingOf(source, frame, messages, isAssistantMessage);
    addAnthropicMessages(
      {
        messages: (isEnvelope(frame) ? messages.map(rooMessage) : messages).map(clineMessage),
        pointerTo: (index) => ({ line, path: `${list === undefined ? "/messages" : ""}/${index}` }),
        idOf: (message, index) => nonEmptyText(message.id) ?? `${seedOf(opening)}-${index}`,
        reportOf: ({ metrics, modelInfo }) => ({
          usage: clineUsage(metrics),
          model: nonEmptyText(objectOf(modelInfo)?.id) ?? nonEmptyText(objectOf(modelInfo)?.modelId),
        }),
        originOf,
        // What only the user was shown, and encrypted thoughts between messages, which mean nothing to other providers.
        skippedKind: ({ type, role, metadata }) =>
          objectOf(metadata)?.displayOnly === true
            ? "shown in the transcript only"
            : type === "reasoning" && role === undefined
              ? "reasoning"
              : undefined,
      },
      draft,
    );
    const model = newestModel(draft.messages);
    const sessionId = nonEmptyText(frame.sessionId);
    return {
      ...(sessionId !== undefined && { sessionId }),
      opening,
      records: messages.length,
      system: anthropicSystem(frame.system_prompt),
      tools: [],
      ...(model !== undefined && { model }),
    };
  },
};

/** Checks for the envelope of Roo Code, by the times of its messages, which the AI SDK does not write. */
function isEnvelope({ version, messages }: ForeignObject): boolean {
  if (version !== 2) return false;
  return (listOf(messages) ?? []).slice(0, SAMPLE).some((entry) => {
    const { ts, role, type } = objectOf(entry) ?? {};
    return typeof ts === "number" && textOf(role ?? type) !== undefined;
  });
}

/** Checks for what a compaction made of a session, which Cline 4 keeps beside the session's own document. */
const isCompacted = ({ version, source_message_count, messages }: ForeignObject): boolean =>
  version === 1 && typeof source_message_count === "number" && listOf(messages) !== undefined;

function isSession(value: unknown): boolean {
  const session = objectOf(value);
  if (session !== undefined && (isEnvelope(session) || isCompacted(session))) return true;
  const messages = listOf(value) ?? listOf(session?.messages);
  if (messages === undefined || (session !== undefined && textOf(session.sessionId) === undefined)) return false;
  return messages.slice(0, SAMPLE).some((entry) => {
    const message: ForeignObject = objectOf(entry) ?? {};
    if (message.ts === undefined || textOf(message.role) === undefined) return false;
    return message.modelInfo !== undefined || (session !== undefined && message.id !== undefined);
  });
}

const surenessOf = (messages: readonly unknown[] = []): number =>
  messages.some(isFramed)
    ? messages.some((message) => typeof objectOf(message)?.ts === "number")
      ? LIKELY
      : MAYBE
    : 0;

/** The origin of what nobody typed: the tool's own summary, its note on what it hid, results, the editor's state. */
function originOf(message: ForeignObject, parts: readonly Part[]): MessageOrigin | undefined {
  const { kind, displayRole } = objectOf(message.metadata) ?? {};
  const isSummary = kind === "compaction_summary" || (kind === "compaction" && displayRole === "system");
  if (message.isSummary === true || isSummary) return "compaction";
  if (message.role !== "user") return undefined;
  const words = typedText({ role: "user", parts }).trim();
  const isNotice = message.isTruncationMarker === true || NOTICES.has(displayRole);
  return isNotice || HOOK.test(words) || words === "" ? "harness" : undefined;
}

/** How Cline shows what it wrote itself in the user's place. */
const NOTICES: ReadonlySet<unknown> = new Set(["system", "status", "error"]);

/** What a hook of the user's says to the model. */
const HOOK = /^<hook_context[\s>]/;

/** What Cline puts around a task and into a message, and above the result of a call. */
const FRAME = /^<(?:task|user_message|feedback)>\s|<environment_details>|^\[[a-z_]{1,60}[^\]\n]{0,300}\] Result:/;

/** Checks whether a value is a message of a user with the marks of Cline. */
function isFramed(value: unknown): boolean {
  const message = objectOf(value);
  if (message?.role !== "user") return false;
  return blocksOf(message.content).some((block) => FRAME.test(textOf(objectOf(block)?.text) ?? ""));
}

/**
 * Usage as Cline writes it: the tokens of the input include those that were read from and written to the cache. The
 * editor keeps them by other names.
 */
function clineUsage(metrics: unknown): Usage | undefined {
  const usage = objectOf(metrics);
  const kept = objectOf(usage?.tokens);
  const inputTokens = countOf(usage?.inputTokens) ?? countOf(kept?.prompt) ?? 0;
  const outputTokens = countOf(usage?.outputTokens) ?? countOf(kept?.completion) ?? 0;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const cacheReadTokens = countOf(usage?.cacheReadTokens) ?? countOf(kept?.cached);
  return withoutUndefined({
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: countOf(usage?.cacheWriteTokens),
  } as Usage);
}

/**
 * Converts a message of Cline to the form of the Anthropic API: files that the user referenced become the text that the
 * model reads, and a result is marked as failed when its words or all of its entries say so.
 */
function clineMessage(value: unknown): unknown {
  const message = objectOf(value);
  const content = listOf(message?.content);
  if (message === undefined || content === undefined) return value;
  return { ...message, content: content.filter((block) => !isBoundToProvider(block)).map(clineBlock) };
}

/** Checks for a block without words that only the provider understands that made it, such as an encrypted thought. */
function isBoundToProvider(value: unknown): boolean {
  const block = objectOf(value);
  return block?.type === "thoughtSignature" || (block?.type === "reasoning" && nonEmptyText(block.text) === undefined);
}

/** Converts a message of Roo Code's envelope to the form of its earlier versions, whose blocks it may still have. */
function rooMessage(value: unknown): unknown {
  const message = objectOf(value);
  if (message === undefined) return value;
  const role = message.role === "tool" ? "user" : message.role;
  return { ...message, role, content: listOf(message.content)?.map(rooBlock) ?? message.content };
}

/** Signatures of other providers are left out, as they are in earlier versions. */
function rooBlock(value: unknown): unknown {
  const part = objectOf(value);
  if (part === undefined) return value;
  const { providerOptions, ...block } = part;
  switch (part.type) {
    case "reasoning":
      return rooThought(part.text, objectOf(objectOf(providerOptions)?.anthropic));
    case "tool-call":
      return { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input };
    case "tool-result":
      return rooResult(part);
    default:
      return rooImage(part) ?? block;
  }
}

function rooThought(thinking: unknown, { signature, redactedData }: ForeignObject = {}): unknown {
  if (redactedData !== undefined) return { type: "redacted_thinking", data: redactedData };
  return signature === undefined ? { type: "reasoning", text: thinking } : { type: "thinking", thinking, signature };
}

function rooResult({ toolCallId, output }: ForeignObject): unknown {
  const { type, value = output } = objectOf(output) ?? {};
  const blocks = listOf(value)?.map((block) => rooImage(objectOf(block) ?? {}) ?? block);
  const failed = /^error-/.test(textOf(type) ?? "") || /^\s*\[ERROR\]/.test(textOf(value) ?? "");
  return { type: "tool_result", tool_use_id: toolCallId, content: blocks ?? value, ...(failed && { is_error: true }) };
}

/** Converts an image of the AI SDK, in a message or in a result; undefined for anything else. */
function rooImage({ image, data, mediaType }: ForeignObject): unknown {
  const source = textOf(image ?? data);
  if (source === undefined || textOf(mediaType ?? "image/")?.startsWith("image/") !== true) return undefined;
  if (/^https?:/.test(source)) return { type: "image", source: { type: "url", url: source } };
  const [, type = mediaType, bytes = source] = /^data:([^;,]{1,100});base64,([\s\S]*)$/.exec(source) ?? [];
  return { type: "image", source: { type: "base64", media_type: type, data: bytes } };
}

function clineBlock(value: unknown): unknown {
  const block = objectOf(value);
  if (block === undefined) return value;
  if (block.type === "file" || block.type === "image") return attached(block);
  // Thoughts as Roo Code keeps them, whichever provider they come from.
  if (block.type === "reasoning") return { type: "thinking", thinking: block.text };
  // Fields for other APIs, which Cline does not send to this one either.
  const { call_id: _id, reasoning_details: _reasons, details: _details, summary: _summary, signature, ...rest } = block;
  const own = block.type === "thinking" && signature !== undefined ? { ...rest, signature } : rest;
  if (block.type !== "tool_result") return own;
  // The call already contains the name of the tool.
  const { name: _name, ...result } = own;
  const content = listOf(block.content)?.map((entry) => attached(objectOf(entry)) ?? entry) ?? block.content;
  return { ...result, content, ...(hasFailed(block) && { is_error: true }) };
}

/** Converts a file or an image, in a message or in a result; anything else stays as it is. */
function attached(block: ForeignObject | undefined): unknown {
  const converted = block?.type === "file" ? fileText(block) : block?.type === "image" ? rooImage(block) : undefined;
  return converted ?? block;
}

function fileText({ path, content }: ForeignObject): unknown {
  const text = textOf(content);
  if (text === undefined) return undefined;
  return { type: "text", text: `<file_content path="${textOf(path) ?? ""}">\n${text}\n</file_content>` };
}

/** How the result of a call begins that failed or that the user refused. */
const FAILED =
  /^\s*(?:\{"status":"(?:error|denied)"|The (?:tool execution failed|user denied this operation)\b|Unable to apply diff to file\b|Missing value for required parameter '|Command executed in terminal [^\n]{0,4000}\. (?:Command execution was not successful|Process terminated by signal)\b)/;

function hasFailed({ content }: ForeignObject): boolean {
  const entries = listOf(content) ?? [];
  if (FAILED.test(textOf(content) ?? textOf(objectOf(entries[0])?.text) ?? "")) return true;
  return entries.length > 0 && entries.every((entry) => objectOf(entry)?.success === false);
}
