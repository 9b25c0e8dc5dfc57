import type { ChatRequest, JsonObject, LegalityViolation } from "@threadfold/core";
import type { LegalityTable } from "../legality/legality-table.ts";
import type { RenderManifest } from "../manifest/render-manifest.ts";

/** A request in a provider's own shape. */
export interface LoweredRequest {
  /**
   * Body of the provider's request without model name and output limit, which the host adds. It shares objects with the
   * request it was made from: copy before you change it.
   */
  readonly payload: JsonObject;
}

/** The names of the formats. */
export type FormatId = "anthropic-messages" | "openai-chat" | "neutral";

/** One provider's request format: what it asks for, how a request is lowered to it, and whether a payload is legal. */
export interface ProviderFormat {
  readonly id: FormatId;
  /** What rendering conforms to and what `check` looks for, as data. */
  readonly rules: LegalityTable;
  /** Lowers a request, part by part. Total: what the format cannot hold is for `check` to find. */
  lower(request: ChatRequest): LoweredRequest;
  /**
   * Checks any payload against the rules. With the manifest of its rendering, violations also name message and record;
   * without one the payload is foreign, and its whole shape is checked against the wire schema too.
   */
  check(payload: unknown, manifest?: RenderManifest): readonly LegalityViolation[];
}
