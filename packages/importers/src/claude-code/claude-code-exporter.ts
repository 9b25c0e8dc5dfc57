import {
  type MediaPart,
  type MediaSource,
  type Message,
  type Part,
  planRecords,
  type ReasoningPart,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import {
  ExportNotes,
  headText,
  type SessionExport,
  type SessionExporter,
  splitWindow,
  type TailMessage,
} from "../exporting/session-exporter.ts";
import { type ForeignObject, objectOf } from "../reading/foreign-value.ts";
import { ClaudeLog } from "./claude-log.ts";

/** The first words of the summary that Claude Code writes into the user turn after a compaction. */
const CONTINUED =
  "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.";

/** The text that replaces the summary when nothing was summarized. */
const NOTHING_SUMMARIZED = "Nothing was summarized; bodies that are no longer needed were shortened.";

/**
 * Exports to a Claude Code session. Lines are only added at the end of the log: messages that it lacks, a
 * `compact_boundary` followed by the summary, and then a second copy of the messages that the plan keeps, because
 * Claude Code sends nothing from before a boundary. Copied responses keep their ids, so that tools that count usage
 * once per response still do.
 */
export const claudeCodeExporter: SessionExporter = {
  format: "claude-code",
  export(session) {
    const notes = new ExportNotes();
    const { source, thread } = session;
    const log = source === undefined ? ClaudeLog.fresh(thread.id) : ClaudeLog.of(source);
    for (const message of thread.messages) addMissing(log, message, notes);
    addWindow(log, session, notes);
    return { format: "claude-code", text: log.text, added: log.added, warnings: notes.warnings };
  },
};

function addMissing(log: ClaudeLog, message: Message, notes: ExportNotes): void {
  if (log.linesOf(message).length > 0) return;
  if (message.branch !== undefined) return notes.add("left-out-branch");
  if (message.role === "system") return notes.add("left-out-system");
  log.add(messageLine(message, message.parts, {}, notes), `message ${message.id}`);
}

function addWindow(log: ClaudeLog, { thread, plan, window, at }: SessionExport, notes: ExportNotes): void {
  const { head, tail } = splitWindow(window, thread, plan);
  if (head.length === 0 && planRecords(plan).length === 0) return;
  const boundary = {
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    isMeta: false,
    timestamp: at,
    level: "info",
    compactMetadata: {
      trigger: "manual",
      preTokens: plan.originalTokens,
      threadfold: { planId: plan.planId, planVersion: plan.version, tokensAfter: plan.compactedTokens },
    },
  };
  log.add(boundary, `boundary ${plan.planId}`, true);
  const summary = {
    type: "user",
    message: { role: "user", content: `${CONTINUED}\n\n${head.length === 0 ? NOTHING_SUMMARIZED : headText(head)}` },
    isVisibleInTranscriptOnly: true,
    isCompactSummary: true,
    timestamp: at,
  };
  log.add(summary, `summary ${plan.planId}`);
  for (const kept of tail) addAgain(log, kept, plan.planId, notes);
}

/**
 * Adds a second copy of a kept message: its own lines when they contain only this message and the plan shows it
 * unchanged.
 */
function addAgain(log: ClaudeLog, { message, chat, isChanged }: TailMessage, planId: string, notes: ExportNotes): void {
  const lines = log.linesOf(message);
  const isWhole = !isChanged && lines.every((line) => holdsOnly(line, message));
  const [first] = lines;
  if (first !== undefined && isWhole) {
    for (const [index, line] of lines.entries()) log.add(again(line), `again ${planId} ${message.id} ${index}`);
    return;
  }
  log.add(
    messageLine(message, chat.parts, first === undefined ? {} : again(first), notes),
    `again ${planId} ${message.id}`,
  );
}

/**
 * Checks whether a line contains this message alone: results of a batch are often on one line but are separate
 * messages.
 */
function holdsOnly({ message: content }: ForeignObject, { role, parts }: Message): boolean {
  const blocks = objectOf(content)?.content;
  return role === "assistant" || (Array.isArray(blocks) ? blocks.length === parts.length : true);
}

/** A line without its ids and parents, which are assigned anew. */
function again(line: ForeignObject): ForeignObject {
  const { uuid: _uuid, parentUuid: _parent, logicalParentUuid: _logical, ...rest } = line;
  return rest;
}

/**
 * Writes a message as one line. Other fields of its original line are kept, except for the copy of what it said and for
 * what made it a line of the system.
 */
function messageLine(message: Message, parts: readonly Part[], own: ForeignObject, notes: ExportNotes): object {
  const { toolUseResult: _copy, attachment: _attachment, subtype: _kind, content: _said, level: _level, ...rest } = own;
  const { role, createdAt } = message;
  const content = claudeContent(parts, notes);
  const said = objectOf(own["message"]) ?? (role === "assistant" ? responseOf(message) : { role: "user" });
  return {
    ...rest,
    type: role === "assistant" ? "assistant" : "user",
    message: { ...said, content },
    timestamp: createdAt,
    ...(message.origin === "harness" && role === "user" && { isMeta: true }),
  };
}

function responseOf({ id, model, usage, parts }: Message): object {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: model ?? "unknown",
    stop_reason: parts.some(({ type }) => type === "tool-call") ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
      cache_creation_input_tokens: cacheWriteTokens,
      cache_read_input_tokens: cacheReadTokens,
      output_tokens: outputTokens,
    },
  };
}

/**
 * Converts parts to content blocks of the Anthropic Messages API, the form in which Claude Code logs them: the reverse
 * of what its importer does.
 */
function claudeContent(parts: readonly Part[], notes: ExportNotes): readonly object[] {
  return parts.flatMap((part) => claudeBlock(part, notes) ?? []);
}

function claudeBlock(part: Part, notes: ExportNotes): object | undefined {
  const extras = part.type === "opaque" ? undefined : part.providerMetadata?.["anthropic"];
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...extras };
    case "image":
    case "file":
      return { ...mediaBlock(part), ...extras };
    case "reasoning": {
      const block = thinkingBlock(part);
      if (block === undefined) notes.add("left-out-reasoning");
      return block && { ...block, ...extras };
    }
    case "tool-call": {
      const input = objectOf(part.input) ?? { input: part.input };
      return { type: "tool_use", id: part.callId, name: part.toolName, input, ...extras };
    }
    case "tool-result":
      return { ...resultBlock(part, notes), ...extras };
    case "opaque":
      if (part.provider === "anthropic") return part.value as object;
      notes.add("left-out-part");
      return undefined;
  }
}

function resultBlock({ result: { callId, outcome, content } }: ToolResultPart, notes: ExportNotes): object {
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: content.type === "blocks" ? claudeContent(content.blocks, notes) : toolResultText(content),
    ...(outcome === "failure" && { is_error: true }),
  };
}

/** Only thinking that Anthropic signed can be sent back to it. */
function thinkingBlock({ text, signature, encrypted, provider }: ReasoningPart): object | undefined {
  if (provider !== undefined && provider !== "anthropic") return undefined;
  if (encrypted !== undefined) return { type: "redacted_thinking", data: encrypted };
  return signature === undefined ? undefined : { type: "thinking", thinking: text, signature };
}

const mediaBlock = ({ type, source, name }: MediaPart): object => ({
  type: type === "image" ? "image" : "document",
  source: mediaSource(source),
  ...(name !== undefined && { title: name }),
});

function mediaSource(source: MediaSource): object {
  switch (source.kind) {
    case "base64":
      return { type: "base64", media_type: source.mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "file-id":
      return { type: "file", file_id: source.fileId };
  }
}
