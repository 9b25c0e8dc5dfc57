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
}
