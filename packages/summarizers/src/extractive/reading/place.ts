import type { MessageId } from "@threadfold/core";

/** Where something stands in a span. */
export interface Place {
  readonly messageId: MessageId;
  /** Place of the message in the span, from 0. */
  readonly position: number;
  readonly turn: number;
}
