import type {
  Message,
  MessageHeader,
  Part,
  ProviderAwareTokenizer,
  SystemEntry,
  TokenLedger,
  TokenShares,
  ToolDefinition,
} from "@threadfold/core";
import { originOf, renamingTokens } from "../conform/assign-call-ids.ts";
import type { Draft } from "../neutral/draft.ts";

/** Size of a request beyond its messages and tools, in tokens. */
export interface FrameTokens {
  readonly system: number;
  /** Tokens that the provider wraps around a request. */
  readonly overhead: number;
}

const countedFrames = new WeakMap<readonly ToolDefinition[], { readonly tokenizer: string; readonly tokens: number }>();

/** Counts system text. */
export function countFrame(system: readonly SystemEntry[], tokenizer: ProviderAwareTokenizer): FrameTokens {
  const overhead = tokenizer.countRequest({ system: [], tools: [], messages: [] });
  const withSystem = system.length === 0 ? overhead : tokenizer.countRequest({ system, tools: [], messages: [] });
  return { system: withSystem - overhead, overhead };
}

/** Counts tool definitions. The definitions of one array are counted once per counter. */
export function countTools(tools: readonly ToolDefinition[], tokenizer: ProviderAwareTokenizer): number {
  const found = countedFrames.get(tools);
  if (found?.tokenizer === tokenizer.id) return found.tokens;
  const tokens = tokenizer.countToolSchemas(tools);
  countedFrames.set(tools, { tokenizer: tokenizer.id, tokens });
  return tokens;
}

/** The share of a ledger header to which core assigns each kind of part. */
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
 * Returns the tokens of a draft. For a message that is sent unchanged this is the ledger's count; for a changed one,
 * only the kinds of parts that changed are counted, so that clearing one part never means counting a large one next to
 * it again.
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

const known = new WeakMap<Part, { readonly tokenizer: string; readonly tokens: number }>();

/** Returns the tokens of a part that rendering made. A part is immutable, so it is counted once per counter. */
function countPart(part: Part, tokenizer: ProviderAwareTokenizer): number {
  const found = known.get(part);
  if (found?.tokenizer === tokenizer.id) return found.tokens;
  const tokens = tokenizer.countPart(part);
  known.set(part, { tokenizer: tokenizer.id, tokens });
  return tokens;
}
