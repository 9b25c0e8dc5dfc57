import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { timeSchema } from "../time/clock.ts";
import { type MessageId, messageIdSchema } from "./ids.ts";
import { type Part, type ProviderMetadata, partSchema, providerMetadataSchema, toolResultText } from "./part.ts";

/** The role of a message's author. */
export const roleSchema = z.enum(["system", "user", "assistant", "tool"]);
export type Role = z.infer<typeof roleSchema>;

/** The usage that the provider reported for the call that produced an assistant message. All figures are tokens. */
export interface Usage {
  /** Prompt tokens, including those read from and written to the cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** Usage of the provider's own compaction while it answered. Not included in the figures above. */
  readonly compaction?: Omit<Usage, "compaction">;
}

const usageShape = {
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cacheReadTokens: z.number().nonnegative().optional(),
  cacheWriteTokens: z.number().nonnegative().optional(),
  reasoningTokens: z.number().nonnegative().optional(),
};

export const usageSchema: z.ZodType<Usage> = z.lazy(() =>
  z.object({
    ...usageShape,
    compaction: z.object(usageShape).optional(),
  }),
);

/**
 * Why a message that nobody typed is in the log: `compaction` is a summary that another tool wrote when it compacted,
 * `harness` is text that the harness inserted (reminders, nudges).
 */
export const messageOriginSchema = z.enum(["compaction", "harness"]);
export type MessageOrigin = z.infer<typeof messageOriginSchema>;

/** A message as passed to a thread; the thread adds its position (`ordinal`, `turn`, `step`). */
export interface MessageInput {
  readonly id: MessageId;
  readonly role: Role;
  readonly parts: readonly Part[];
  /** ISO 8601 time in UTC, as `Date.toISOString` returns it. */
  readonly createdAt: string;
  /**
   * Path of the branch that the message is on, segments joined by `/`; absent on the main branch. Messages on a side
   * branch stay in the log and never reach the prompt of the main branch.
   */
  readonly branch?: string;
  /** Set on messages that nobody typed. They start no turn. */
  readonly origin?: MessageOrigin;
  /** Name of the model that wrote an assistant message. */
  readonly model?: string;
  readonly usage?: Usage;
  /**
   * Fields of the whole message that only one provider understands, by provider name and spelled as on its wire: the
   * `name` of a speaker, the role `developer`, options of the AI SDK. They are restored when the thread is rendered for
   * that provider again.
   */
  readonly providerMetadata?: ProviderMetadata;
  readonly metadata?: JsonObject;
}

const messageInputShape = () => ({
  id: messageIdSchema,
  role: roleSchema,
  parts: z.array(partSchema),
  createdAt: textSchema.min(1),
  branch: textSchema.min(1).optional(),
  origin: messageOriginSchema.optional(),
  model: textSchema.optional(),
  usage: usageSchema.optional(),
  providerMetadata: providerMetadataSchema.optional(),
  metadata: jsonObjectSchema.optional(),
});

export const messageInputSchema: z.ZodType<MessageInput> = z.lazy(() =>
  z
    // Stored messages, which may predate this check of times, are read with `messageSchema` and not checked again.
    .object({ ...messageInputShape(), createdAt: timeSchema })
    .refine((message) => (message.role === "tool") === message.parts.some((part) => part.type === "tool-result"), {
      error: "a tool result belongs in a message of role tool, and nowhere else",
    })
    .refine((message) => message.role !== "tool" || message.parts.length === 1, {
      error: "a message of role tool holds exactly one tool result",
    })
    .refine((message) => message.role === "assistant" || !message.parts.some((part) => part.type === "tool-call"), {
      error: "a tool call belongs in a message of role assistant",
    }),
);

/** A message in a thread: frozen, with its position. */
export interface Message extends MessageInput {
  /** Position among the thread's messages, from 0. */
  readonly ordinal: number;
  /** The number of turns up to and including this message; each real user message of the main branch starts one. */
  readonly turn: number;
  /** The number of model calls (assistant messages) up to and including this message. */
  readonly step: number;
}

export const messageSchema: z.ZodType<Message> = z.lazy(() =>
  z.object({
    ...messageInputShape(),
    ordinal: z.int().nonnegative(),
    turn: z.int().nonnegative(),
    step: z.int().nonnegative(),
  }),
);

/** Returns a message as readable text: its text parts, tool calls as `name(input)` and tool results as their text. */
export function visibleText(message: { readonly parts: Message["parts"] }): string {
  return message.parts
    .map((part) => {
      switch (part.type) {
        case "text":
        case "reasoning":
          return part.text;
        case "tool-call":
          return `${part.toolName}(${part.invalidInput ?? JSON.stringify(part.input)})`;
        case "tool-result":
          return toolResultText(part.result.content);
        case "image":
        case "file":
          return `[${part.type}${part.name === undefined ? "" : ` ${part.name}`}]`;
        case "opaque":
          return `[${part.provider} item]`;
      }
    })
    .join("\n");
}

/** How sensitive content is, least sensitive first. It limits where content may go automatically. */
export const sensitivitySchema = z.enum(["public", "internal", "confidential", "restricted"]);
export type Sensitivity = z.infer<typeof sensitivitySchema>;
