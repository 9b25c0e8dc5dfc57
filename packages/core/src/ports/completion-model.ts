import { ThreadfoldError } from "../errors/threadfold-error.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { Usage } from "../model/message.ts";

/** One message of a completion call: plain text, no tools. */
export interface CompletionMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** The input of a completion call. */
export interface CompletionRequest {
  /** Standing instructions. Not sent when there is a prefix, which has its own. */
  readonly system: string;
  /** Never empty; the last message is the user's. */
  readonly messages: readonly CompletionMessage[];
  readonly maxOutputTokens: number;
  /** Sampling temperature on the provider's own scale; the provider's default when omitted. */
  readonly temperature?: number;
  /**
   * A request in the provider's own format that was sent before. The messages are appended to it, so that the call
   * reads the prompt cache (wire rules: *prefix + instruction*). It is sent unchanged, tools included, because they are
   * part of what is cached. Without a prefix no tools are sent.
   */
  readonly prefix?: JsonObject;
  readonly signal?: AbortSignal;
}

/** Why a model stopped. `refusal` covers every content filter. */
export type CompletionFinish = "stop" | "length" | "tool-call" | "refusal" | "other";

/** A model's answer and its token usage. */
export interface CompletionResult {
  readonly text: string;
  readonly finish: CompletionFinish;
  /** The number of tool calls in the answer; none of them is run. */
  readonly toolCalls: number;
  readonly usage?: Usage;
}

/** Any model that completes text. An adapter wraps the user's own client in it. */
export interface CompletionModel {
  /** The model's name as used in records and cache keys. Equal ids mean equal behaviour. */
  readonly id: string;
  /**
   * @throws ThreadfoldError `MODEL_CALL_FAILED` with the kind of failure in its details; any other error is treated as
   * `unavailable`.
   */
  complete(request: CompletionRequest): Promise<CompletionResult>;
}

/**
 * Why a call failed: `rate-limited`, `unavailable` (the provider's fault, dropped connections) and `timeout` may
 * succeed on a retry; `overflow` means that the input is longer than the model's window; `rejected` will fail again.
 */
export type ModelCallFailureKind = "rate-limited" | "unavailable" | "timeout" | "overflow" | "rejected";

/** The known facts about a failed call. */
export interface ModelCallFailure {
  readonly kind: ModelCallFailureKind;
  /** HTTP status, when there was a response. */
  readonly status?: number;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Kinds of failure that the same call meets again, whenever it is made. */
const LASTING: ReadonlySet<ModelCallFailureKind> = new Set(["overflow", "rejected"]);

/** Makes the error of a failed call, which says whether a retry can help. */
export function modelCallError(message: string, failure: ModelCallFailure, cause?: unknown): ThreadfoldError {
  return new ThreadfoldError("MODEL_CALL_FAILED", message, {
    details: { ...failure },
    retryable: !LASTING.has(failure.kind),
    ...(cause !== undefined && { cause }),
  });
}

/** Returns the failure that an error describes, or null when it is not a `MODEL_CALL_FAILED` error. */
export function modelCallFailure(error: unknown): ModelCallFailure | null {
  if (!ThreadfoldError.isInstance(error) || error.code !== "MODEL_CALL_FAILED") return null;
  return error.details as unknown as ModelCallFailure;
}
