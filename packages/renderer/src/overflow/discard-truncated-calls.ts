import type { MessageInput, Part } from "@threadfold/core";

/** Stop reasons by which providers say that the output limit cut a response off. */
const MAX_OUTPUT_STOPS: readonly string[] = [
  "max-output",
  "max_tokens",
  "max_output_tokens",
  "length",
  "incomplete",
  "model_length",
];

/** Checks whether a response ended at its output limit, given any provider's stop reason or ours (`max-output`). */
export const isMaxOutputStop = (stopReason: string | null | undefined): boolean =>
  stopReason !== null && stopReason !== undefined && MAX_OUTPUT_STOPS.includes(stopReason.toLowerCase());

/** A response without the calls that were cut off. */
export interface CompleteResponse<Message> {
  /** Null when nothing of it is complete. */
  readonly message: Message | null;
  /** The calls that were discarded. */
  readonly discarded: readonly Extract<Part, { type: "tool-call" }>[];
}

/**
 * Discards the tool call that an output limit cut off, before the message is appended, as Goat does: its arguments are
 * not what the model meant, even if they happen to be valid JSON. Only the last part can be cut off, but an earlier
 * call whose arguments are not JSON is discarded too. Reasoning left at the end is discarded with its call. Returns the
 * same message object when nothing is discarded.
 */
export function discardTruncatedCalls<Message extends Pick<MessageInput, "role" | "parts">>(
  message: Message,
  stopReason: string | null | undefined,
): CompleteResponse<Message> {
  if (message.role !== "assistant" || !isMaxOutputStop(stopReason)) return { message, discarded: [] };
  const last = message.parts.length - 1;
  const isCut = (part: Part, index: number): boolean =>
    part.type === "tool-call" && (index === last || part.invalidInput !== undefined);
  const discarded = message.parts.filter(isCut).filter((part) => part.type === "tool-call");
  if (discarded.length === 0) return { message, discarded };
  const whole = message.parts.filter((part, index) => !isCut(part, index));
  const end = whole.findLastIndex(({ type }) => type !== "reasoning");
  const parts = whole.slice(0, end + 1);
  return { message: parts.length === 0 ? null : { ...message, parts }, discarded };
}
