import type { JsonObject, JsonValue } from "@threadfold/core";

/**
 * Fields that the host itself adds to the request body and that affect what else in it is legal. They are only read
 * here, never sent.
 */
export interface HostFields {
  /** Anthropic's `thinking`. */
  readonly thinking?: JsonObject;
  /** `tool_choice`, as the provider takes it. */
  readonly toolChoice?: JsonValue;
  /** `store` of OpenAI's Responses API, for a host that overrides the `false` in our requests with `true`. */
  readonly store?: boolean;
  /**
   * The format requested for the answer, in the provider's own shape: OpenAI's `response_format`, `text.format` of the
   * Responses API, Anthropic's `output_config.format`.
   */
  readonly responseFormat?: JsonObject;
  /** Names of the beta features that the host requests from Anthropic, as in the header `anthropic-beta`. */
  readonly betas?: readonly string[];
  /** Anthropic's `context_management`, for a host that requests context edits itself. */
  readonly contextManagement?: JsonObject;
  /**
   * Set by a host whose own messages to Anthropic include system messages inside the conversation, so that its model
   * takes them whatever its name.
   */
  readonly systemInside?: true;
}
