import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { timeSchema } from "../time/clock.ts";
import { type MessageId, messageIdSchema } from "./ids.ts";
import { type Part, type ProviderMetadata, partSchema, providerMetadataSchema, toolResultText } from "./part.ts";

/** Who a message is from. */
export const roleSchema = z.enum(["system", "user", "assistant", "tool"]);
export type Role = z.infer<typeof roleSchema>;

/** What the provider reported for the call that produced an assistant message. All figures are tokens. */
export interface Usage {
  /** Prompt tokens, those read from and written to the cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** What the provider's own compaction took on the way to the answer. None of the figures above has it. */
  readonly compaction?: Omit<Usage, "compaction">;
}

const usageShape = {
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cacheReadTokens: z.number().nonnegative().optional(),
  cacheWriteTokens: z.number().nonnegative().optional(),
  reasoningTokens: z.number().nonnegative().optional(),
};

export const usageSchema: z.ZodType<Usage> = z.object({
  ...usageShape,
  compaction: z.object(usageShape).optional(),
});

/**
 * Why a message that nobody typed is in the log: `compaction` is the summary that another tool wrote when it compacted,
 * `harness` is text that the harness put there (reminders, nudges).
 */
export const messageOriginSchema = z.enum(["compaction", "harness"]);
export type MessageOrigin = z.infer<typeof messageOriginSchema>;

/** A message as it is handed to a thread; the thread adds its place (`ordinal`, `turn`, `step`). */
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
   * What one provider says about the whole message and no other understands, by provider name and spelled as on its
   * wire: the `name` of a speaker, the role `developer`, options of the AI SDK. It comes back when the thread is
   * rendered for that provider again.
   */
  readonly providerMetadata?: ProviderMetadata;
  readonly metadata?: JsonObject;
}

const messageInputShape = {
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
};

export const messageInputSchema: z.ZodType<MessageInput> = z
  // Messages stored before times were checked are read as they are.
  .object({ ...messageInputShape, createdAt: timeSchema })
  .refine((message) => (message.role === "tool") === message.parts.some((part) => part.type === "tool-result"), {
    error: "a tool result stands in a message of role tool, and nowhere else",
  })
  .refine((message) => message.role !== "tool" || message.parts.length === 1, {
    error: "a message of role tool holds exactly one tool result",
  })
  .refine((message) => message.role === "assistant" || !message.parts.some((part) => part.type === "tool-call"), {
    error: "a tool call stands in a message of role assistant",
  });

/** A message in a thread: frozen, in its place. */
export interface Message extends MessageInput {
  /** Position among the thread's messages, from 0. */
  readonly ordinal: number;
  /** How many real user messages of the main branch started before or with this message. Synthetic and branch messages start none. */
  readonly turn: number;
  /** How many model calls (assistant messages) came before or with this message. */
  readonly step: number;
}

export const messageSchema: z.ZodType<Message> = z.object({
  ...messageInputShape,
  ordinal: z.int().nonnegative(),
  turn: z.int().nonnegative(),
  step: z.int().nonnegative(),
});

/** The text of a message that a person would read: its text parts, calls as `name(input)` and results as their text. */
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

/** How far content may travel on its own, least guarded first. */
export const sensitivitySchema = z.enum(["public", "internal", "confidential", "restricted"]);
export type Sensitivity = z.infer<typeof sensitivitySchema>;
