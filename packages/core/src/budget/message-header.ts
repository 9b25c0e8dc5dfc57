import type { MessageId, ToolCallId } from "../model/ids.ts";
import type { Message, MessageOrigin, Role } from "../model/message.ts";
import type { ToolDurability, ToolOutcomeStatus } from "../model/part.ts";
import type { TokenShares } from "./tokenizer.ts";

/** What the planner knows about a message without its body. */
export interface MessageHeader {
  readonly id: MessageId;
  readonly ordinal: number;
  readonly role: Role;
  readonly turn: number;
  readonly step: number;
  /** Tokens of the whole message in a request, including the overhead of its role. */
  readonly tokens: number;
  readonly shares: TokenShares;
  /** Ids of the calls that an assistant message makes, in order. */
  readonly calls: readonly ToolCallId[];
  /** The call that a tool message answers. */
  readonly answers?: ToolCallId;
  /** The tool whose result this is. */
  readonly toolName?: string;
  readonly outcome?: ToolOutcomeStatus;
  /** Set on tool messages: how the result may be folded, as the tool itself or the policy says. */
  readonly durability?: ToolDurability;
  readonly branch?: string;
  readonly origin?: MessageOrigin;
  /** True when the message holds only reasoning: it belongs to what follows it. */
  readonly reasoningOnly: boolean;
  /** True when the message holds reasoning that a provider signed or encrypted. */
  readonly signedReasoning: boolean;
  /** True when the message holds an opaque provider item, which must travel byte for byte. */
  readonly opaque: boolean;
  /** True when it holds a provider's own compaction, which represents messages that may be in no other form. */
  readonly holdsCompaction: boolean;
  /** True when a turn starts here: a user message of the main branch that somebody typed. */
  readonly startsTurn: boolean;
}

/** The types that providers give the items of their own compaction (Anthropic Messages, OpenAI Responses). */
const COMPACTIONS: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary", "context_compaction"]);

const NO_CALLS: readonly ToolCallId[] = Object.freeze([]);

/** Makes a message's header; `shares` and `tokens` are from the counter, `durability` from the result or the policy. */
export function headerOf(
  message: Message,
  tokens: number,
  shares: TokenShares,
  durability: ToolDurability | undefined,
): MessageHeader {
  const { id, ordinal, role, turn, step, parts, branch, origin } = message;
  const calls = callsOf(parts);
  const flags = flagsOf(message);
  const { reasoningOnly, signedReasoning, opaque, holdsCompaction, startsTurn } = flags;
  const first = parts[0];
  // Written out field by field: a log may have a million headers, and an object built by spreading takes more memory.
  const header: MessageHeader =
    first?.type === "tool-result"
      ? {
          id,
          ordinal,
          role,
          turn,
          step,
          tokens,
          shares,
          calls,
          reasoningOnly,
          signedReasoning,
          opaque,
          holdsCompaction,
          startsTurn,
          answers: first.result.callId,
          toolName: first.result.toolName,
          outcome: first.result.outcome,
          ...(durability !== undefined && { durability }),
        }
      : {
          id,
          ordinal,
          role,
          turn,
          step,
          tokens,
          shares,
          calls,
          reasoningOnly,
          signedReasoning,
          opaque,
          holdsCompaction,
          startsTurn,
        };
  if (branch === undefined && origin === undefined) return header;
  return { ...header, ...(branch !== undefined && { branch }), ...(origin !== undefined && { origin }) };
}

function callsOf(parts: Message["parts"]): readonly ToolCallId[] {
  const calls = parts.filter((part) => part.type === "tool-call").map((part) => part.callId);
  return calls.length === 0 ? NO_CALLS : calls;
}

function flagsOf({ parts, role, origin, branch }: Message) {
  const reasoning = parts.filter((part) => part.type === "reasoning");
  return {
    reasoningOnly: reasoning.length > 0 && reasoning.length === parts.length,
    signedReasoning: reasoning.some((part) => part.signature !== undefined || part.encrypted !== undefined),
    opaque: parts.some((part) => part.type === "opaque"),
    holdsCompaction: parts.some((part) => part.type === "opaque" && COMPACTIONS.has(Object(part.value).type)),
    startsTurn: role === "user" && origin === undefined && branch === undefined,
  };
}
