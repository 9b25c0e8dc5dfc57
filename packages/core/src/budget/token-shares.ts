import type { Message } from "../model/message.ts";
import type { TokenShares } from "../model/message-header.ts";
import type { Part } from "../model/part.ts";
import type { Steps } from "../steps/steps.ts";
import type { ProviderAwareTokenizer } from "./provider-aware-tokenizer.ts";

const SHARE_OF: Readonly<Record<Part["type"], keyof TokenShares>> = {
  text: "text",
  "tool-call": "toolInput",
  "tool-result": "toolResult",
  reasoning: "reasoning",
  image: "media",
  file: "media",
  opaque: "text",
};

/** Where a message's tokens are. */
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

/** What {@link tokenShares} gives, step by step, as small as the counter makes them. */
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
