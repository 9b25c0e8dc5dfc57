import type { Usage } from "@threadfold/core";
import { anthropicSystem } from "../anthropic-messages/anthropic-frame.ts";
import { addAnthropicMessages } from "../anthropic-messages/anthropic-messages.ts";
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

/** How sure it is that a list of messages without models is Cline's: its kin write the same. */
const MAYBE = 0.35;

/**
 * Imports sessions of Cline: blocks of the Anthropic API in messages that have times, a model and metrics. The newer
 * form is a document; the one that the editor keeps (`api_conversation_history.json`) is a list of messages.
 */
export const clineImporter: SessionImporter = {
  format: "cline",
  detect: ({ records: [first] }) =>
    isSession(first?.value) ? 1 : listOf(first?.value)?.slice(0, SAMPLE).some(isFramed) ? MAYBE : 0,
  threads: (source) => documentThreads(source, isSession),
  import({ source, records: [first] }, draft) {
    const frame = objectOf(first?.value) ?? {};
    const list = listOf(first?.value);
    const messages = list ?? listOf(frame.messages) ?? [];
    const line = first?.line ?? 0;
    const opening = openingOf(source, frame, messages, isAssistantMessage);
    addAnthropicMessages(
      {
        messages: messages.map(clineMessage),
        pointerTo: (index) => ({ line, path: `${list === undefined ? "/messages" : ""}/${index}` }),
        idOf: (message, index) => nonEmptyText(message.id) ?? `${seedOf(opening)}-${index}`,
        reportOf: ({ metrics, modelInfo }) => ({
          usage: clineUsage(metrics),
          model: nonEmptyText(objectOf(modelInfo)?.id) ?? nonEmptyText(objectOf(modelInfo)?.modelId),
        }),
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

function isSession(value: unknown): boolean {
  const session = objectOf(value);
  const messages = listOf(value) ?? listOf(session?.messages);
  if (messages === undefined || (session !== undefined && textOf(session.sessionId) === undefined)) return false;
  return messages.slice(0, SAMPLE).some((entry) => {
    const message: ForeignObject = objectOf(entry) ?? {};
    if (message.ts === undefined || textOf(message.role) === undefined) return false;
    return message.modelInfo !== undefined || (session !== undefined && message.id !== undefined);
  });
}

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
 * model reads, and a result is marked as failed when all of its entries say so.
 */
function clineMessage(value: unknown): unknown {
  const message = objectOf(value);
  const content = listOf(message?.content);
  return message === undefined || content === undefined ? value : { ...message, content: content.map(clineBlock) };
}

function clineBlock(value: unknown): unknown {
  const block = objectOf(value);
  if (block === undefined) return value;
  if (block.type === "file") return fileText(block) ?? value;
  // Fields for other APIs, which Cline does not send to this one either.
  const { call_id: _callId, reasoning_details: _details, summary: _summary, ...own } = block;
  if (block.type !== "tool_result") return own;
  // The call already contains the name of the tool.
  const { name: _name, ...result } = own;
  return hasFailed(block) ? { ...result, is_error: true } : result;
}

function fileText({ path, content }: ForeignObject): unknown {
  const text = textOf(content);
  if (text === undefined) return undefined;
  return { type: "text", text: `<file_content path="${textOf(path) ?? ""}">\n${text}\n</file_content>` };
}

function hasFailed({ content }: ForeignObject): boolean {
  const entries = listOf(content) ?? [];
  return entries.length > 0 && entries.every((entry) => objectOf(entry)?.success === false);
}
