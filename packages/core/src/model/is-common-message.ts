import { isJsonValue, MAX_JSON_DEPTH, MAX_VALUE_DEPTH } from "../json/json-value.ts";
import type { MessageInput, Usage } from "./message.ts";
import type { Part } from "./part.ts";
import { isTime } from "./time.ts";
import type { ToolResultContent, ToolResultEnvelope } from "./tool-result-envelope.ts";

/**
 * Says yes to the messages that agents exchange all day: text, reasoning, calls and text or JSON results. The schema
 * accepts every message that this accepts, and accepts rarer ones too, so it is asked only when this says no. Appending
 * a long log costs a fraction of the schema's time, most of all in a process that has just started.
 */
export function isCommonMessage(value: MessageInput): boolean {
  if (typeof value !== "object" || value === null || !Array.isArray(value.parts)) return false;
  return (
    isId(value.id) &&
    isTime(value.createdAt) &&
    value.branch === undefined &&
    value.providerMetadata === undefined &&
    (value.origin === undefined || value.origin === "harness" || value.origin === "compaction") &&
    (value.model === undefined || isText(value.model)) &&
    (value.usage === undefined || isUsage(value.usage)) &&
    (value.metadata === undefined || isValueObject(value.metadata)) &&
    holdsItsParts(value)
  );
}

function holdsItsParts({ role, parts }: MessageInput): boolean {
  switch (role) {
    case "assistant":
      return parts.every((part) => isSpeech(part) || isCall(part));
    case "user":
    case "system":
      return parts.every(isSpeech);
    case "tool":
      return parts.length === 1 && isResult(parts[0]);
    default:
      return false;
  }
}

function isTextBlock(part: Part | undefined): boolean {
  return isPlainPart(part) && part.type === "text" && isText(part.text);
}

function isSpeech(part: Part | undefined): boolean {
  return isTextBlock(part) || isReasoning(part);
}

function isReasoning(part: Part | undefined): boolean {
  return (
    isPlainPart(part) &&
    part.type === "reasoning" &&
    isText(part.text) &&
    isTextOrAbsent(part.provider) &&
    isTextOrAbsent(part.signature) &&
    isTextOrAbsent(part.encrypted)
  );
}

function isCall(part: Part | undefined): boolean {
  return (
    isPlainPart(part) &&
    part.type === "tool-call" &&
    isId(part.callId) &&
    isText(part.toolName) &&
    isTextOrAbsent(part.invalidInput) &&
    isValue(part.input)
  );
}

function isResult(part: Part | undefined): boolean {
  return isPlainPart(part) && part.type === "tool-result" && isEnvelope(part.result);
}

function isPlainPart(part: Part | undefined): part is Part {
  return typeof part === "object" && part !== null && !("providerMetadata" in part);
}

function isEnvelope(result: ToolResultEnvelope): boolean {
  if (typeof result !== "object" || result === null) return false;
  const { toolName, callId, outcome, content } = result;
  return (
    isText(toolName) &&
    isId(callId) &&
    (outcome === "success" || outcome === "failure" || outcome === "partial") &&
    isBody(content) &&
    (result.keyFields === undefined || isValueObject(result.keyFields)) &&
    result.durability === undefined &&
    result.determinism === undefined &&
    isTextOrAbsent(result.startedAt) &&
    isTextOrAbsent(result.completedAt)
  );
}

function isBody(content: ToolResultContent): boolean {
  if (typeof content !== "object" || content === null) return false;
  if (content.type === "text") return isText(content.text);
  if (content.type === "json") return isValue(content.value);
  return content.type === "blocks" && Array.isArray(content.blocks) && content.blocks.every(isTextBlock);
}

function isUsage(usage: Usage): boolean {
  if (typeof usage !== "object" || usage === null) return false;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens].every(
    (tokens) => Number.isFinite(tokens) && tokens >= 0,
  );
}

const isText = (value: unknown): boolean => typeof value === "string" && value.isWellFormed();
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);
const isId = (value: unknown): boolean =>
  typeof value === "string" && value.length >= 1 && value.length <= 512 && value.isWellFormed();
const isValue = (value: unknown): boolean => isJsonValue(value, MAX_JSON_DEPTH - MAX_VALUE_DEPTH);
const isValueObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && isValue(value);
