import type { JsonObject, JsonValue } from "@threadfold/core";

/**
 * Fields that the host itself puts into the body of a request, as far as they decide what else in it is legal. They are
 * looked at and never sent from here.
 */
export interface HostFields {
  /** Anthropic's `thinking`. */
  readonly thinking?: JsonObject;
  /** `tool_choice`, as the provider takes it. */
  readonly toolChoice?: JsonValue;
  /** `store` of OpenAI's Responses API, for a host that puts true over the false of our requests. */
  readonly store?: boolean;
  /**
   * The form that the answer is to have, as the provider takes it: OpenAI's `response_format`, `text.format` of the Responses
   * API, Anthropic's `output_config.format`.
   */
  readonly responseFormat?: JsonObject;
  /** Names of the beta features that the host asks Anthropic for, as in the header `anthropic-beta`. */
  readonly betas?: readonly string[];
  /** Anthropic's `context_management`, for a host that asks for edits of the context itself. */
  readonly contextManagement?: JsonObject;
}
