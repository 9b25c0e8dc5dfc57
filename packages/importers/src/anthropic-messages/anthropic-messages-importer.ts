import {
  conversationThreads,
  findConversation,
  isAssistantMessage,
  messageTraits,
} from "../reading/find-conversation.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, objectsOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import { importing, type SessionImporter } from "../session/session-importer.ts";
import { addAnthropicMessagesInSteps, anthropicSystem, anthropicTools } from "./anthropic-messages.ts";

/**
 * Imports conversations in the form of the Anthropic Messages API: a request body, its messages alone, a response, or
 * one message per line. Threads of Amp have that form but for their results.
 */
export const anthropicMessagesImporter: SessionImporter = {
  format: "anthropic-messages",
  detect: detectAnthropicMessages,
  threads: conversationThreads,
  ...importing(function* (source, draft) {
    const conversation = findConversation(source);
    if (conversation === undefined) return { records: 0, system: [], tools: [] };
    const { frame, pointerTo } = conversation;
    const isAmp = AMP_ID.test(textOf(frame.id)?.slice(0, 100) ?? "");
    const messages = isAmp ? conversation.messages.map(ampMessage) : conversation.messages;
    draft.startAt(frame.start_time ?? (isAmp ? frame.created : undefined));
    const opening = openingOf(source.source, frame, messages, isAssistantMessage);
    const seed = seedOf(opening);
    yield* addAnthropicMessagesInSteps(
      {
        ...{ messages, pointerTo, idOf: (_message, index) => `${seed}-${index}` },
        ...(isAmp && { originOf: ampOrigin, skippedKind: ({ role }) => (role === "info" ? "info" : undefined) }),
      },
      draft,
    );
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      ...sessionIdOf(isAmp ? { session_id: frame.id } : frame),
      opening,
      records: messages.length,
      system: anthropicSystem(frame.system ?? frame.system_prompt),
      tools: anthropicTools(frame.tools, draft),
      ...(model !== undefined && { model }),
    };
  }),
};

function sessionIdOf(frame: ForeignObject): { readonly sessionId?: string } {
  const sessionId = nonEmptyText(frame.session_id) ?? nonEmptyText(frame.sessionId);
  return sessionId === undefined ? {} : { sessionId };
}

/** The ids of Amp's threads. */
const AMP_ID = /^T-[0-9a-f]{8}-[0-9a-f-]{4,}$/;

/** Converts a message of Amp to the form of the API: its results are records of what ran, and it keeps times in blocks. */
function ampMessage(value: unknown): unknown {
  const message = objectOf(value);
  if (message === undefined) return value;
  const { role, meta, usage } = message;
  const blocks = listOf(message.content)?.map(ampBlock);
  const summary = nonEmptyText(objectOf(objectsOf(message.content)[0]?.summary)?.summary);
  if (role === "info" && summary !== undefined) return { role: "user", content: summary, isSummary: true };
  const { model, inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = objectOf(usage) ?? {};
  return {
    ...{ role, content: blocks ?? message.content, ts: objectOf(meta)?.sentAt, model },
    usage: {
      ...{ input_tokens: inputTokens, output_tokens: outputTokens },
      ...{ cache_read_input_tokens: cacheReadInputTokens, cache_creation_input_tokens: cacheCreationInputTokens },
    },
  };
}

const ampOrigin = ({ isSummary }: ForeignObject): "compaction" | undefined =>
  isSummary === true ? "compaction" : undefined;

function ampBlock(value: unknown): unknown {
  const block = objectOf(value);
  const { type, text, thinking, provider, signature } = block ?? {};
  switch (type) {
    case "text":
      return { type, text };
    case "thinking":
      return { type, thinking, ...((provider ?? "anthropic") === "anthropic" && { signature }) };
    case "tool_use":
      return { type, id: block?.id, name: block?.name, input: block?.input };
    case "tool_result":
      return block?.run === undefined ? value : ampResult(block);
    default:
      return value;
  }
}

/** A call that did not end well has what it printed so far, or an error. */
function ampResult({ toolUseID, run }: ForeignObject): unknown {
  const { status, result, progress, error } = objectOf(run) ?? {};
  const content = result ?? progress ?? objectOf(error)?.message ?? error ?? status;
  const exitCode = objectOf(result)?.exitCode ?? 0;
  return { type: "tool_result", tool_use_id: toolUseID, content, is_error: status !== "done" || exitCode !== 0 };
}

/** Block types that only the Anthropic API has. */
const OWN_BLOCKS = [
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "image",
  "document",
  "compaction",
];

/** Block types and roles that the Anthropic API does not have. */
const FOREIGN_BLOCKS = ["image_url", "input_audio", "input_text", "output_text", "tool-call", "tool-result"];
const FOREIGN_ROLES = ["tool", "developer", "function"];

/** Returns the confidence, from 0 to 1, that the source is a conversation of the Anthropic Messages API. */
function detectAnthropicMessages(source: SourceRecords): number {
  const conversation = findConversation(source);
  if (conversation === undefined) return 0;
  const { roles, blockTypes, hasToolCallField, hasStopReason, isResponse } = messageTraits(conversation);
  const isForeign =
    FOREIGN_BLOCKS.some((type) => blockTypes.has(type)) || FOREIGN_ROLES.some((role) => roles.has(role));
  if (hasToolCallField || isForeign) return 0;
  if (conversation.frame.format === "anthropic-messages" || isResponse) return 1;
  if (hasStopReason || OWN_BLOCKS.some((type) => blockTypes.has(type))) return 0.95;
  if (conversation.frame.system !== undefined || conversation.frame.system_prompt !== undefined) return 0.6;
  return 0.4;
}
