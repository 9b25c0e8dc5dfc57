import type { Usage } from "@threadfold/core";
import { anthropicSystem } from "../anthropic-messages/anthropic-frame.ts";
import { addAnthropicMessages } from "../anthropic-messages/anthropic-messages.ts";
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

/** Imports sessions of Cline: blocks of the Anthropic API in messages that have ids, times, a model and metrics. */
export const clineImporter: SessionImporter = {
  format: "cline",
  detect: ({ records }) => (isSession(records[0]?.value) ? 1 : 0),
  threads: (source) => documentThreads(source, isSession),
  import({ source, records: [first] }, draft) {
    const frame = objectOf(first?.value) ?? {};
    const messages = listOf(frame.messages) ?? [];
    const line = first?.line ?? 0;
    const opening = openingOf(source, frame, messages, isAssistantMessage);
    addAnthropicMessages(
      {
        messages: messages.map(clineMessage),
        pointerTo: (index) => ({ line, path: `/messages/${index}` }),
        idOf: (message, index) => nonEmptyText(message.id) ?? `${seedOf(opening)}-${index}`,
        reportOf: ({ metrics, modelInfo }) => ({
          usage: clineUsage(metrics),
          model: nonEmptyText(objectOf(modelInfo)?.id),
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
  const messages = listOf(session?.messages);
  if (messages === undefined || textOf(session?.sessionId) === undefined) return false;
  return messages.slice(0, SAMPLE).some((entry) => {
    const message: ForeignObject = objectOf(entry) ?? {};
    return message.ts !== undefined && (message.id !== undefined || message.modelInfo !== undefined);
  });
}

/** Usage as Cline writes it: `inputTokens` includes tokens read from and written to the cache. */
function clineUsage(metrics: unknown): Usage | undefined {
  const usage = objectOf(metrics);
  const inputTokens = countOf(usage?.inputTokens) ?? 0;
  const outputTokens = countOf(usage?.outputTokens) ?? 0;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const cacheReadTokens = countOf(usage?.cacheReadTokens);
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
  if (block?.type === "file") return fileText(block) ?? value;
  if (block?.type !== "tool_result") return value;
  // The call already contains the name of the tool.
  const { name: _name, ...result } = block;
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
