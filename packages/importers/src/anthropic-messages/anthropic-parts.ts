import type { JsonValue, MediaPart, MediaSource, Part, ToolCallPart, ToolResultPart } from "@threadfold/core";
import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { opaquePart, providerExtras, toolResultContent } from "../session/shared-readers.ts";

type ReadBlock = (block: ForeignObject) => Part | undefined;

const TEXT_FIELDS = new Set(["type", "text"]);
const THINKING_FIELDS = new Set(["type", "thinking", "signature"]);
const REDACTED_FIELDS = new Set(["type", "data"]);
const MEDIA_FIELDS = new Set(["type", "source", "title"]);
const CALL_FIELDS = new Set(["type", "id", "name", "input"]);

/** The reader for each block type. A map rather than an object, because the type comes from the log. */
const READERS: ReadonlyMap<unknown, ReadBlock> = new Map<string, ReadBlock>([
  ["text", readText],
  ["thinking", readThinking],
  ["redacted_thinking", readRedactedThinking],
  ["image", readMedia],
  ["document", readMedia],
]);

/**
 * Converts a content block of the Anthropic Messages API to a part. A block without an equivalent in core becomes an
 * opaque one.
 */
export function anthropicPart(block: unknown): Part {
  const fields = objectOf(block);
  return (fields && READERS.get(fields.type)?.(fields)) ?? opaquePart("anthropic", block);
}

/**
 * Converts an assistant turn to parts: `tool_use` blocks become calls, other blocks are read by {@link anthropicPart}.
 */
export function anthropicAssistantParts(content: unknown, draft: SessionDraft, at: SourcePointer): readonly Part[] {
  return blocksOf(content).map((block, index) => {
    const fields = objectOf(block);
    return fields?.type === "tool_use" ? readCall(fields, draft, at, index) : anthropicPart(block);
  });
}

/** Reads the thoughts of an answer that a client keeps beside its content, as LiteLLM does: signed blocks of this API. */
export const thinkingBlocks = ({ thinking_blocks: blocks }: ForeignObject): readonly Part[] =>
  (listOf(blocks) ?? []).map(anthropicPart);

/** Returns the blocks of a message's content; a string is one text block. */
export function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

function readText(block: ForeignObject): Part | undefined {
  const text = textOf(block.text);
  return text === undefined ? undefined : { type: "text", text, ...providerExtras("anthropic", block, TEXT_FIELDS) };
}

function readThinking(block: ForeignObject): Part | undefined {
  const text = textOf(block.thinking);
  if (text === undefined) return undefined;
  const signature = textOf(block.signature);
  return {
    type: "reasoning",
    text,
    provider: "anthropic",
    ...(signature && { signature }),
    ...providerExtras("anthropic", block, THINKING_FIELDS),
  };
}

function readRedactedThinking(block: ForeignObject): Part | undefined {
  const encrypted = textOf(block.data);
  if (encrypted === undefined) return undefined;
  return {
    type: "reasoning",
    text: "",
    provider: "anthropic",
    encrypted,
    ...providerExtras("anthropic", block, REDACTED_FIELDS),
  };
}

function readMedia(block: ForeignObject): MediaPart | undefined {
  const source = mediaSource(objectOf(block.source));
  if (source === undefined) return undefined;
  const name = textOf(block.title);
  return {
    type: block.type === "image" ? "image" : "file",
    source,
    ...(name !== undefined && { name }),
    ...providerExtras("anthropic", block, MEDIA_FIELDS),
  };
}

function mediaSource(source: ForeignObject | undefined): MediaSource | undefined {
  const mediaType = textOf(source?.media_type);
  const [data, url, fileId] = [textOf(source?.data), textOf(source?.url), textOf(source?.file_id)];
  if (source?.type === "base64" && data !== undefined && mediaType !== undefined)
    return { kind: "base64", mediaType, data };
  if (source?.type === "url" && url !== undefined) return { kind: "url", url };
  if (source?.type === "file" && fileId !== undefined) return { kind: "file-id", fileId };
  return undefined;
}

function readCall(block: ForeignObject, draft: SessionDraft, at: SourcePointer, index: number): ToolCallPart {
  const toolName = textOf(block.name) ?? "";
  return {
    type: "tool-call",
    callId: draft.calls.open(block.id, toolName, `call-${at.line}${at.path ?? ""}-${index}`),
    toolName,
    input: (block.input ?? {}) as JsonValue,
    ...providerExtras("anthropic", block, CALL_FIELDS),
  };
}

/** A user turn of the Anthropic API, split up: in Threadfold each tool result is a separate message. */
interface AnthropicUserTurn {
  readonly results: readonly ToolResultPart[];
  /** Everything else in the turn, in order. */
  readonly rest: readonly Part[];
  /** True when `rest` has text, so that somebody may have typed something. */
  readonly hasText: boolean;
}

export function anthropicUserTurn(content: unknown, draft: SessionDraft, at: SourcePointer): AnthropicUserTurn {
  const results: ToolResultPart[] = [];
  const rest: Part[] = [];
  for (const block of blocksOf(content)) {
    const fields = objectOf(block);
    if (fields?.type === "tool_result")
      results.push(readResult(fields, draft, `result-${at.line}${at.path ?? ""}-${results.length}`));
    else rest.push(anthropicPart(block));
  }
  return { results, rest, hasText: rest.some((part) => part.type === "text" && part.text.trim() !== "") };
}

const RESULT_FIELDS = new Set(["type", "tool_use_id", "content", "is_error"]);

function readResult(block: ForeignObject, draft: SessionDraft, standIn: string): ToolResultPart {
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(block.tool_use_id, undefined, standIn),
      outcome: block.is_error === true ? "failure" : "success",
      content: toolResultContent(block.content, anthropicPart),
    },
    ...providerExtras("anthropic", block, RESULT_FIELDS),
  };
}
