import {
  checkArgument,
  checkOptions,
  type Message,
  type MessageId,
  type MessageInput,
  type OptionKinds,
  type Part,
  refuseArgument,
} from "@threadfold/core";
import { discardTruncatedCalls, recognizeOverflow } from "@threadfold/renderer";
import type { OverflowFigures, StopReason, UsageReport } from "@threadfold/turn";

/** A tool call as it appears in an assistant message. */
export type ToolCall = Extract<Part, { readonly type: "tool-call" }>;

/** The model's response to the newest request. */
export interface ModelResponse {
  /**
   * The assistant message, and any messages that follow it already, such as results of calls that the host's SDK ran.
   */
  readonly messages: readonly MessageInput[];
  /** The usage that the provider reported for the request. */
  readonly usage?: Omit<UsageReport, "stopReason">;
  /** `end` by default. `stopReasonOf` converts a provider's own value. */
  readonly stopReason?: StopReason;
}

const STOP_REASONS: readonly StopReason[] = ["end", "max-output", "error", "aborted"];
const RESPONSE: OptionKinds<ModelResponse> = { messages: "any", usage: "any", stopReason: STOP_REASONS };

/** @throws ThreadfoldError `INVALID_CONFIG` for a response without its list of messages, or with another field. */
export function checkResponse(response: ModelResponse): void {
  const hint = "Pass { messages: [message], usage }. Read an answer of the Anthropic SDK with fromAnthropic.";
  if (!Array.isArray((response as Partial<ModelResponse> | null)?.messages))
    refuseArgument("response", "messages has to be a list.", hint);
  const strange = response.messages.findIndex((message) => !Array.isArray(Object(message).parts));
  if (strange >= 0) refuseArgument(`response.messages[${strange}]`, "it is not a message with parts.", hint);
  checkOptions("response", response, RESPONSE);
  if (response.usage !== undefined) checkUsage(response.usage);
}

/**
 * Checks a report of usage, whose other figures may be missing or wrong: those teach nothing.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for one in which the prompt's tokens have another name, or are no number.
 */
export function checkUsage(usage: NonNullable<ModelResponse["usage"]>): void {
  checkArgument("usage", usage, "object");
  // An SDK may have the field without a figure in it, when its provider reported none.
  if ("inputTokens" in usage && (usage.inputTokens === undefined || typeof usage.inputTokens === "number")) return;
  const hint = "Pass { inputTokens, outputTokens }, where inputTokens is the whole prompt, cached or not.";
  refuseArgument("usage.inputTokens", "it has to be a number of tokens.", hint);
}

/** The result of `ContextSession.complete`. */
export interface CompletedResponse {
  /** The response's messages as they are in the thread now, including any that were already there. */
  readonly appended: readonly Message[];
  /** Tool calls that the output limit cut off. They are not in the thread and must not be executed. */
  readonly discarded: readonly ToolCall[];
  /**
   * True when the answer was cut off at the output limit and the next `prepare` will fold for it: prepare and call the
   * model again. After a cut-off answer, false means that a fold cannot help or was already tried, and the agent should
   * stop.
   */
  readonly retry: boolean;
}

/**
 * Returns the messages of a response without the calls that the output limit cut off and without those calls' results.
 */
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

/** Why a model call failed, as far as the context is concerned. */
export interface FailedCall {
  /** `overflow` when the provider refused the request as too long for the model. */
  readonly kind: "overflow" | "other";
  /**
   * True when preparing the request again can help: the next `prepare` folds for it, once (L19). False for every other
   * error, which is left to the host's own retry policy.
   */
  readonly retry: boolean;
}

/**
 * Returns the figures of a context overflow from any SDK's error or its text; null when the error has another cause.
 */
export function overflowIn(error: unknown): OverflowFigures | null {
  const report = recognizeOverflow(error);
  if (!report.overflow) return null;
  const { usedTokens, limitTokens } = report;
  return {
    ...(usedTokens !== undefined && { inputTokens: usedTokens }),
    ...(limitTokens !== undefined && { limitTokens }),
  };
}

/** The answers that a session has already learned from, by the ids of their newest assistant messages. */
export class TakenAnswers {
  readonly #ids = new Set<MessageId>();

  /** Learns from an answer unless that was done before. If learning fails, it is done when the answer comes again. */
  async once(messages: readonly MessageInput[], learn: () => Promise<void>): Promise<void> {
    const id = messages.findLast(({ role }) => role === "assistant")?.id;
    // A cut-off answer may leave no assistant message, and then the host is free to use its id again.
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
