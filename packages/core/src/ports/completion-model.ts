import { ThreadfoldError } from "../errors/threadfold-error.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { Usage } from "../model/message.ts";

/** One message of a completion call: plain text, no tools. */
export interface CompletionMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** What a completion call sends. */
export interface CompletionRequest {
  /** Standing instructions. Not sent when there is a prefix, which brings its own. */
  readonly system: string;
  /** Never empty; the last one is the user's. */
  readonly messages: readonly CompletionMessage[];
  readonly maxOutputTokens: number;
  /** How freely the model chooses its words, as its provider counts it. The provider's own default when it is left out. */
  readonly temperature?: number;
  /**
   * A request in the provider's own format that was sent before. The messages go behind it, so that the call reads the
   * prompt cache (wire rules: *prefix + instruction*). It goes out as it is, tools included: they are part of what is
   * cached. Without a prefix no tools are sent.
   */
  readonly prefix?: JsonObject;
  readonly signal?: AbortSignal;
}

/** Why a model stopped. `refusal` covers every content filter. */
export type CompletionFinish = "stop" | "length" | "tool-call" | "refusal" | "other";

/** A model's answer and what it cost. */
export interface CompletionResult {
  readonly text: string;
  readonly finish: CompletionFinish;
  /** Calls in the answer; nobody runs them. */
  readonly toolCalls: number;
  readonly usage?: Usage;
}

/** Any model that completes text. The user's own client stands behind it. */
export interface CompletionModel {
  /** Names the model as it goes into records and cache keys. Equal ids mean equal behaviour. */
  readonly id: string;
  /** @throws ThreadfoldError `MODEL_CALL_FAILED` with the kind of failure in its details; any other error counts as `unavailable`. */
  complete(request: CompletionRequest): Promise<CompletionResult>;
}

/**
 * Why a call failed: `rate-limited` and `unavailable` (the provider's fault, cut connections) and `timeout` may pass by
 * themselves; `overflow` means that the input is longer than the model's window; `rejected` will fail again.
 */
export type ModelCallFailureKind = "rate-limited" | "unavailable" | "timeout" | "overflow" | "rejected";

/** What is known of a failed call. */
export interface ModelCallFailure {
  readonly kind: ModelCallFailureKind;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** A failed call as an error. */
export function modelCallError(message: string, failure: ModelCallFailure, cause?: unknown): ThreadfoldError {
  return new ThreadfoldError("MODEL_CALL_FAILED", message, {
    details: { ...failure },
    ...(cause !== undefined && { cause }),
  });
}

/** What an error says of a failed call; null for errors of other kinds. */
export function modelCallFailure(error: unknown): ModelCallFailure | null {
  if (!ThreadfoldError.isInstance(error) || error.code !== "MODEL_CALL_FAILED") return null;
  return error.details as unknown as ModelCallFailure;
}
