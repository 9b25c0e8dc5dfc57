import type { Message, MessageId, MessageInput, Part } from "@threadfold/core";
import { discardTruncatedCalls, recognizeOverflow } from "@threadfold/renderer";
import type { OverflowFigures, StopReason, UsageReport } from "@threadfold/turn";

/** A call of a tool as it stands in an assistant message. */
export type ToolCall = Extract<Part, { readonly type: "tool-call" }>;

/** What the model answered to the newest request. */
export interface ModelResponse {
  /** The assistant message, with whatever a host already has behind it, such as the results of calls that its SDK ran. */
  readonly messages: readonly MessageInput[];
  /** What the provider reported of the request. */
  readonly usage?: Omit<UsageReport, "stopReason">;
  /** `end` when it is left out. `stopReasonOf` reads a provider's own word. */
  readonly stopReason?: StopReason;
}

/** What became of a response. */
export interface CompletedResponse {
  /** The messages as they stand in the thread now, those included that were there already. */
  readonly appended: readonly Message[];
  /** Calls that the output limit cut off. They are not in the thread and must not be run. */
  readonly discarded: readonly ToolCall[];
  /**
   * True after an answer that was cut off at the output limit, when the next `prepare` will fold for it: prepare and
   * ask again. False when a fold cannot help or has been tried: an agent stops here.
   */
  readonly retry: boolean;
}

/** The messages of a response without the call that the output limit cut off, and without what stands behind it as its result. */
export function withoutTruncatedCalls({ messages, stopReason }: ModelResponse): {
  readonly messages: readonly MessageInput[];
  readonly discarded: readonly ToolCall[];
} {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const answer = messages[last];
  if (stopReason !== "max-output" || answer === undefined) return { messages, discarded: [] };
  const { message, discarded } = discardTruncatedCalls(answer, stopReason);
  if (discarded.length === 0) return { messages, discarded };
  const gone = new Set(discarded.map(({ callId }) => callId));
  const behind = messages.slice(last + 1).filter((next) => !answersAny(next, gone));
  return { messages: [...messages.slice(0, last), ...(message === null ? [] : [message]), ...behind], discarded };
}

const answersAny = ({ parts }: MessageInput, calls: ReadonlySet<ToolCall["callId"]>): boolean =>
  parts.some((part) => part.type === "tool-result" && calls.has(part.result.callId));

/** What a call of the model failed for, as far as the context is concerned. */
export interface FailedCall {
  /** `overflow` when the provider refused the request as too long for the model. */
  readonly kind: "overflow" | "other";
  /**
   * True when preparing the request again can help: the next `prepare` folds for it, once (L19). False for every other
   * error, which the host's own rules for retries are for.
   */
  readonly retry: boolean;
}

/** The figures of an overflow in an error of any SDK or in its text; null when it failed for another reason. */
export function overflowIn(error: unknown): OverflowFigures | null {
  const report = recognizeOverflow(error);
  if (!report.overflow) return null;
  const { usedTokens, limitTokens } = report;
  return {
    ...(usedTokens !== undefined && { inputTokens: usedTokens }),
    ...(limitTokens !== undefined && { limitTokens }),
  };
}

/** Which answers a session has learned from, by the ids of their newest assistant messages. */
export class TakenAnswers {
  readonly #ids = new Set<MessageId>();

  /** Learns from an answer that was not learned from before. What fails is learned from when it comes again. */
  async once(messages: readonly MessageInput[], learn: () => Promise<void>): Promise<void> {
    const id = messages.findLast(({ role }) => role === "assistant")?.id;
    // Nothing of a cut-off answer may be left, and then a host is free to use its id again.
    if (id === undefined) return learn();
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    try {
      await learn();
    } catch (error) {
      this.#ids.delete(id);
      throw error;
    }
  }
}
