import { z } from "zod";
import { type MessageId, messageIdSchema } from "../model/ids.ts";

/**
 * Names a run of messages by its explicit, ordered, non-empty list of ids (seed 002). It needs no thread to be resolved,
 * and later appends cannot change what it means. Turn numbers are for display.
 */
export interface SpanReference {
  readonly messageIds: readonly MessageId[];
  readonly firstTurn: number;
  readonly lastTurn: number;
}

export const spanReferenceSchema: z.ZodType<SpanReference> = z.object({
  messageIds: z.array(messageIdSchema).min(1),
  firstTurn: z.int().nonnegative(),
  lastTurn: z.int().nonnegative(),
});

/** The first message of a span: where its one synthetic message is rendered. */
export const spanStart = (span: SpanReference): MessageId => span.messageIds[0] as MessageId;

/** The last message of a span. */
export const spanEnd = (span: SpanReference): MessageId => span.messageIds[span.messageIds.length - 1] as MessageId;

/** A span over the given messages, which must be in thread order and at least one. */
export function spanOf(messages: readonly { readonly id: MessageId; readonly turn: number }[]): SpanReference {
  const first = messages[0];
  const last = messages[messages.length - 1];
  if (first === undefined || last === undefined) throw new RangeError("A span holds at least one message.");
  return { messageIds: messages.map((message) => message.id), firstTurn: first.turn, lastTurn: last.turn };
}
