import type { Message, Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import type { ChatMessage, ChatRequest, ToolDefinition } from "../providers/chat-request.ts";
import type { Steps } from "../time/steps.ts";

/**
 * Counts everything that is sent, not just the message bodies. All figures are tokens. Implementations are
 * deterministic and keep no state that changes a figure.
 */
export interface ProviderAwareTokenizer {
  /** Identifies the counter and everything that its figures depend on. */
  readonly id: string;
  /** Tokens of raw text. */
  countTokens(text: string): number;
  /** Tokens of one part, without the overhead of its message. */
  countPart(part: Part): number;
  /** Tokens that a message costs beyond its parts: role and separators. */
  messageOverhead(role: Role): number;
  /** Tokens of a message in a request: the sum of its parts and the overhead of its role. */
  countMessage(message: Pick<ChatMessage, "role" | "parts">): number;
  /** Tokens of the tool definitions as the provider injects them. 0 for none. */
  countToolSchemas(tools: readonly ToolDefinition[]): number;
  /** Tokens of a whole request: system text, tools, messages and the provider's own wrapping. */
  countRequest(request: ChatRequest): number;
  /**
   * The same as `countPart`, in steps of a few milliseconds, so that counting a long message does not block the
   * process. Omitted by counters that are always fast, and by those that cannot be interrupted.
   */
  countPartInSteps?(part: Part): Steps<number>;
}

/** The tokens of a message by kind of part: the most that clearing that kind would free. */
export interface TokenShares {
  readonly text: number;
  readonly toolInput: number;
  readonly toolResult: number;
  readonly reasoning: number;
  readonly media: number;
}

const SHARE_OF: Readonly<Record<Part["type"], keyof TokenShares>> = {
  text: "text",
  "tool-call": "toolInput",
  "tool-result": "toolResult",
  reasoning: "reasoning",
  image: "media",
  file: "media",
  opaque: "text",
};

/** The tokens of a message: those of its parts, and its overhead. */
export interface MessageTokens {
  readonly shares: TokenShares;
  readonly overhead: number;
}

/** Counts a message part by part. */
export function tokenShares(
  message: Pick<Message, "role" | "parts">,
  tokenizer: ProviderAwareTokenizer,
): MessageTokens {
  const shares = { text: 0, toolInput: 0, toolResult: 0, reasoning: 0, media: 0 };
  for (const part of message.parts) shares[SHARE_OF[part.type]] += tokenizer.countPart(part);
  return { shares, overhead: tokenizer.messageOverhead(message.role) };
}

/** The same as {@link tokenShares}, in steps as small as the counter allows. */
export function* tokenSharesInSteps(
  message: Pick<Message, "role" | "parts">,
  tokenizer: ProviderAwareTokenizer,
): Steps<MessageTokens> {
  const shares = { text: 0, toolInput: 0, toolResult: 0, reasoning: 0, media: 0 };
  for (const part of message.parts) {
    yield;
    shares[SHARE_OF[part.type]] += tokenizer.countPartInSteps
      ? yield* tokenizer.countPartInSteps(part)
      : tokenizer.countPart(part);
  }
  return { shares, overhead: tokenizer.messageOverhead(message.role) };
}
