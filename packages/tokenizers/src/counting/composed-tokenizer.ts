import {
  type ChatRequest,
  type JsonValue,
  type MediaPart,
  type Part,
  type ProviderAwareTokenizer,
  systemText,
  type ToolDefinition,
  type ToolResultContent,
} from "@threadfold/core";
import type { TokenOverheads } from "./overheads.ts";

/** The two measures that a counter is made of. Both give whole, non-negative tokens. */
export interface TextMeasure {
  text(text: string): number;
  /** Tokens of a value as compact JSON. */
  json(value: JsonValue): number;
}

/** Three bytes stand in four characters of base64. */
const BYTES_PER_BASE64_CHARACTER = 3 / 4;
const BYTES_PER_TOKEN = 4;

/**
 * A counter from a measure of text and a table of overheads. It keeps no state, and a message costs exactly the sum of
 * its parts and the overhead of its role.
 */
export function composeTokenizer(id: string, measure: TextMeasure, overheads: TokenOverheads): ProviderAwareTokenizer {
  const countPart = (part: Part): number => partTokens(part, measure, overheads);
  const countMessage: ProviderAwareTokenizer["countMessage"] = ({ parts }) => {
    let tokens = overheads.message;
    for (const part of parts) tokens += countPart(part);
    return tokens;
  };
  const countToolSchemas = (tools: readonly ToolDefinition[]): number => toolTokens(tools, measure, overheads);
  const countRequest = ({ system, messages, tools }: ChatRequest): number => {
    let tokens = overheads.request + countToolSchemas(tools);
    for (const entry of system) tokens += overheads.message + measure.text(systemText(entry));
    for (const message of messages) tokens += countMessage(message);
    return tokens;
  };
  const countTokens = (text: string): number => measure.text(text);
  const messageOverhead = (): number => overheads.message;
  return Object.freeze({ id, countTokens, countPart, messageOverhead, countMessage, countToolSchemas, countRequest });
}

function partTokens(part: Part, measure: TextMeasure, overheads: TokenOverheads): number {
  switch (part.type) {
    case "text":
      return measure.text(part.text);
    case "reasoning":
      return measure.text(part.text) + encryptedTokens(part.encrypted);
    case "tool-call":
      return (
        overheads.toolCall +
        measure.text(part.toolName) +
        (part.invalidInput === undefined ? measure.json(part.input) : measure.text(part.invalidInput))
      );
    case "tool-result":
      return overheads.toolResult + resultTokens(part.result.content, measure, overheads);
    case "image":
    case "file":
      return mediaTokens(part, overheads);
    case "opaque":
      return measure.json(part.value);
  }
}

function resultTokens(content: ToolResultContent, measure: TextMeasure, overheads: TokenOverheads): number {
  switch (content.type) {
    case "text":
      return measure.text(content.text);
    case "json":
      return measure.json(content.value);
    case "blocks":
      return content.blocks.reduce(
        (sum, block) => sum + (block.type === "text" ? measure.text(block.text) : mediaTokens(block, overheads)),
        0,
      );
  }
}

/** The bytes of a picture are not text: only a text document that travels as base64 costs by its length. */
function mediaTokens({ type, source }: MediaPart, overheads: TokenOverheads): number {
  if (type === "image") return overheads.image;
  if (source.kind !== "base64" || !source.mediaType.startsWith("text/")) return overheads.file;
  return Math.ceil((source.data.length * BYTES_PER_BASE64_CHARACTER) / BYTES_PER_TOKEN);
}

/** Encrypted reasoning is charged as the reasoning inside it, which only its length tells of. */
const encryptedTokens = (encrypted: string | undefined): number =>
  encrypted === undefined ? 0 : Math.ceil((encrypted.length * BYTES_PER_BASE64_CHARACTER) / BYTES_PER_TOKEN);

function toolTokens(tools: readonly ToolDefinition[], measure: TextMeasure, overheads: TokenOverheads): number {
  if (tools.length === 0) return 0;
  return tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + overheads.tool + measure.text(name) + measure.text(description ?? "") + measure.json(inputSchema),
    overheads.anyTool,
  );
}
