import type { ProviderAwareTokenizer } from "../budget/tokenizer.ts";
import { asPinId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { type Part, toolResultText } from "../model/part.ts";
import { systemText } from "../providers/chat-request.ts";
import type { Authority, Pin, ThreadEntryInput } from "../thread/thread-entry.ts";
import type { Clock } from "../time/clock.ts";
import { user } from "./messages.ts";

/** Tokens of a picture or document, whatever its size. */
const MEDIA_TOKENS = 500;
const MESSAGE_OVERHEAD_TOKENS = 4;
const REQUEST_OVERHEAD_TOKENS = 3;

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/**
 * Returns the simplest counter that satisfies the port's contract: four UTF-16 code units per token, rounded up per
 * piece. For tests that need figures but not exact ones.
 */
export function countingTokenizer(): ProviderAwareTokenizer {
  const tokenizer: ProviderAwareTokenizer = {
    id: "counting-chars-4",
    countTokens: tokensOf,
    countPart,
    messageOverhead: () => MESSAGE_OVERHEAD_TOKENS,
    countMessage: ({ role, parts }) =>
      parts.reduce((sum, part) => sum + tokenizer.countPart(part), tokenizer.messageOverhead(role)),
    countToolSchemas: (tools) =>
      tools.reduce(
        (sum, tool) => sum + tokensOf(`${tool.name}${tool.description ?? ""}${JSON.stringify(tool.inputSchema)}`),
        0,
      ),
    countRequest: ({ system, messages, tools }) =>
      system.reduce((sum, entry) => sum + tokensOf(systemText(entry)), REQUEST_OVERHEAD_TOKENS) +
      messages.reduce((sum, message) => sum + tokenizer.countMessage(message), 0) +
      tokenizer.countToolSchemas(tools),
  };
  return Object.freeze(tokenizer);
}

function countPart(part: Part): number {
  switch (part.type) {
    case "text":
      return tokensOf(part.text);
    case "reasoning":
      return tokensOf(part.text) + tokensOf(part.signature ?? "") + tokensOf(part.encrypted ?? "");
    case "tool-call":
      return tokensOf(part.toolName) + tokensOf(part.invalidInput ?? JSON.stringify(part.input));
    case "tool-result":
      return tokensOf(toolResultText(part.result.content));
    case "image":
    case "file":
      return MEDIA_TOKENS;
    case "opaque":
      return tokensOf(JSON.stringify(part.value));
  }
}

/** Makes a user message with the text `text of <id>` and any other fields that a test needs. */
export const sampleMessage = (id: string, fields: Partial<MessageInput> = {}): MessageInput => ({
  ...user(id, `text of ${id}`),
  ...fields,
});

/** Makes a pin of the user with the text `rule of <id>` and any other fields that a test needs. */
export const samplePin = (id: string, fields: Partial<Pin> = {}): Pin => ({
  id: asPinId(id),
  text: `rule of ${id}`,
  authority: "user",
  origin: "explicit",
  ...fields,
});

export const pinEntry = (pin: Pin): ThreadEntryInput => ({ type: "pin", pin });

export const pinLiftedEntry = (id: string, authority: Authority): ThreadEntryInput => ({
  type: "pin-lifted",
  pinId: asPinId(id),
  authority,
  reason: "no longer needed",
});

/** Returns a clock that always shows the same time, given in milliseconds since the epoch. */
export const pinnedClock = (ms: number): Clock => Object.freeze({ now: () => ms });
