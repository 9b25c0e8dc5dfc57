import {
  type ChatRequest,
  type Part,
  type ProviderAwareTokenizer,
  type Steps,
  systemText,
  type ToolDefinition,
  type ToolResultContent,
} from "@threadfold/core";
import { type MediaCharges, mediaTokens } from "./media-tokens.ts";

/**
 * What a provider charges beyond the text itself, in tokens. Pure data, so that adding a provider takes a table row and
 * no code.
 */
export interface TokenOverheads extends MediaCharges {
  /** Once per request. */
  readonly request: number;
  /** Once per message: role and separators. */
  readonly message: number;
  /** Once per tool call, beyond its name and arguments. */
  readonly toolCall: number;
  /** Once per tool result, beyond its body. */
  readonly toolResult: number;
  /** Once per request that defines any tool. */
  readonly anyTool: number;
  /** Once per defined tool, beyond its name, description and schema. */
  readonly tool: number;
}

/** Returns the number of tokens in a text, whole and non-negative. JSON is counted as compact text. */
export type CountText = (text: string) => number;

/** Four characters of base64 encode three bytes. */
const BYTES_PER_BASE64_CHARACTER = 3 / 4;
const BYTES_PER_TOKEN = 4;

/**
 * Builds a counter from a text counter and a table of overheads. It keeps no state, and the cost of a message is
 * exactly the sum of its parts and the overhead of its role.
 */
export function composeTokenizer(
  id: string,
  countTokens: CountText,
  overheads: TokenOverheads,
): ProviderAwareTokenizer {
  const countPart = (part: Part): number => {
    const { fixed, texts } = chargesOf(part, overheads);
    let tokens = fixed;
    for (const text of texts) tokens += countTokens(text);
    return tokens;
  };
  const countMessage: ProviderAwareTokenizer["countMessage"] = ({ parts }) => {
    let tokens = overheads.message;
    for (const part of parts) tokens += countPart(part);
    return tokens;
  };
  const countToolSchemas = (tools: readonly ToolDefinition[]): number => toolTokens(tools, countTokens, overheads);
  const countRequest = ({ system, messages, tools }: ChatRequest): number => {
    let tokens = overheads.request + countToolSchemas(tools);
    for (const entry of system) tokens += overheads.message + countTokens(systemText(entry));
    for (const message of messages) tokens += countMessage(message);
    return tokens;
  };
  const messageOverhead = (): number => overheads.message;
  return Object.freeze({ id, countTokens, countPart, messageOverhead, countMessage, countToolSchemas, countRequest });
}

/** Does the same as a composed counter's `countPart`, with a text counter that works in steps. */
export function* countPartInSteps(
  part: Part,
  textInSteps: (text: string) => Steps<number>,
  overheads: TokenOverheads,
): Steps<number> {
  const { fixed, texts } = chargesOf(part, overheads);
  let tokens = fixed;
  for (const text of texts) tokens += yield* textInSteps(text);
  return tokens;
}

/** The cost of a part: a fixed number of tokens, and the tokens of its texts. */
interface Charges {
  readonly fixed: number;
  readonly texts: readonly string[];
}

function chargesOf(part: Part, overheads: TokenOverheads): Charges {
  switch (part.type) {
    case "text":
      return { fixed: 0, texts: [part.text] };
    case "reasoning":
      return { fixed: encryptedTokens(part.encrypted), texts: [part.text] };
    case "tool-call":
      return { fixed: overheads.toolCall, texts: [part.toolName, part.invalidInput ?? JSON.stringify(part.input)] };
    case "tool-result":
      return resultCharges(part.result.content, overheads);
    case "image":
    case "file":
      return { fixed: mediaTokens(part, overheads), texts: [] };
    case "opaque":
      return { fixed: 0, texts: [JSON.stringify(part.value)] };
  }
}

function resultCharges(content: ToolResultContent, overheads: TokenOverheads): Charges {
  const fixed = overheads.toolResult;
  switch (content.type) {
    case "text":
      return { fixed, texts: [content.text] };
    case "json":
      return { fixed, texts: [JSON.stringify(content.value)] };
    case "blocks": {
      const media = content.blocks.map((block) => (block.type === "text" ? 0 : mediaTokens(block, overheads)));
      return {
        fixed: media.reduce((sum, tokens) => sum + tokens, fixed),
        texts: content.blocks.flatMap((block) => (block.type === "text" ? block.text : [])),
      };
    }
  }
}

/** Encrypted reasoning is charged like the reasoning inside it, for which only the length is known. */
const encryptedTokens = (encrypted: string | undefined): number =>
  encrypted === undefined ? 0 : Math.ceil((encrypted.length * BYTES_PER_BASE64_CHARACTER) / BYTES_PER_TOKEN);

function toolTokens(tools: readonly ToolDefinition[], countTokens: CountText, overheads: TokenOverheads): number {
  if (tools.length === 0) return 0;
  return tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum +
      overheads.tool +
      countTokens(name) +
      countTokens(description ?? "") +
      countTokens(JSON.stringify(inputSchema)),
    overheads.anyTool,
  );
}
