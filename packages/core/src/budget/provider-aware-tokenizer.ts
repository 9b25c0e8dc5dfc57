import type { ChatMessage, ChatRequest } from "../model/chat-request.ts";
import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import type { ToolDefinition } from "../model/tool-definition.ts";
import type { Steps } from "../steps/steps.ts";

/**
 * Counts what is sent, not the message bodies alone (seed 002). All figures are tokens. Implementations are
 * deterministic and keep no state that changes a figure, except calibrated ones, which say so by `id`.
 */
export interface ProviderAwareTokenizer {
  /** Names the counter and everything that its figures depend on. */
  readonly id: string;
  /** Tokens of raw text. */
  countTokens(text: string): number;
  /** Tokens of one part without the overhead of its message. */
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
   * What `countPart` gives, in steps of a few milliseconds, so that a session that counts a long message holds up nobody.
   * Left out by counters that are fast whatever they count, and by those that cannot be interrupted.
   */
  countPartInSteps?(part: Part): Steps<number>;
}
