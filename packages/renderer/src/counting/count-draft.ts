import type { Message, MessageHeader, Part, ProviderAwareTokenizer, TokenLedger, TokenShares } from "@threadfold/core";
import type { Draft } from "../neutral/draft.ts";
import { countPart } from "./count-part.ts";
import { originOf, renamingTokens } from "./renamed-part.ts";

/** The share of a ledger header in which core counts each kind of part. */
const SHARE_OF: Readonly<Record<Part["type"], keyof TokenShares>> = {
  text: "text",
  opaque: "text",
  "tool-call": "toolInput",
  "tool-result": "toolResult",
  reasoning: "reasoning",
  image: "media",
  file: "media",
};

/**
 * Tokens of a draft. A message that goes out unchanged costs what the ledger says; of a changed one only those kinds of
 * parts are counted that did change, so that emptying one part never counts a large one beside it again.
 */
export function countDraft({ chat, message }: Draft, ledger: TokenLedger): number {
  const { tokenizer } = ledger;
  const header = message === null ? undefined : ledger.header(message.ordinal);
  if (message === null || header === undefined)
    return countAll(chat.parts, tokenizer) + tokenizer.messageOverhead(chat.role);
  if (chat.parts === message.parts && chat.role === message.role) return header.tokens;
  return countChanged(chat.parts, message, header, tokenizer) + tokenizer.messageOverhead(chat.role);
}

function countAll(parts: readonly Part[], tokenizer: ProviderAwareTokenizer): number {
  let tokens = 0;
  for (const part of parts) tokens += countPart(part, tokenizer);
  return tokens;
}

function countChanged(
  parts: readonly Part[],
  message: Message,
  header: MessageHeader,
  tokenizer: ProviderAwareTokenizer,
): number {
  let tokens = 0;
  for (const share of new Set(parts.map((part) => SHARE_OF[part.type]))) {
    const now = parts.filter((part) => SHARE_OF[part.type] === share);
    const before = message.parts.filter((part) => SHARE_OF[part.type] === share);
    const same = now.length === before.length && now.every((part, index) => (originOf(part) ?? part) === before[index]);
    tokens += same ? header.shares[share] + renamingOf(now, tokenizer) : countAll(now, tokenizer);
  }
  return tokens;
}

function renamingOf(parts: readonly Part[], tokenizer: ProviderAwareTokenizer): number {
  let tokens = 0;
  for (const part of parts) tokens += renamingTokens(part, tokenizer);
  return tokens;
}
