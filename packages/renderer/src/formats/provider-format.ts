import type { ChatRequest, JsonObject, LegalityViolation } from "@threadfold/core";
import type { BreakpointPlaces } from "../cache/breakpoint-places.ts";
import type { CapabilityTable } from "../input/model-capabilities.ts";
import type { RenderManifest } from "../input/render-manifest.ts";
import type { LegalityTable } from "../legality/legality-rule.ts";

/** A request in a provider's own shape. */
export interface LoweredRequest {
  /**
   * Body of the provider's request without model name and output limit, which the host adds. It shares objects with the
   * request it was made from: copy before you change it.
   */
  readonly payload: JsonObject;
}

/** How the end of cached prefixes is marked in a payload. */
export interface CacheOptions {
  /** The request before this one, where it is known. */
  readonly previous?: ChatRequest;
  /** How long a prefix is to stay, where the provider lets one choose; its shorter time by default. */
  readonly ttl?: "5m" | "1h";
  /** Name of the model. OpenAI's formats place nothing without it, for models before GPT-5.6 refuse breakpoints. */
  readonly model?: string;
  /** Rows that add to the table of model capabilities. */
  readonly capabilities?: CapabilityTable;
}

/** What a payload has besides the request. */
export interface LowerOptions {
  /** Set to place cache breakpoints, where the format has them; those that came with the thread give way. */
  readonly cache?: CacheOptions;
}

/** The names of the formats that come with this package. */
export type FormatId =
  | "anthropic-messages"
  | "openai-chat"
  | "openai-responses"
  | "gemini"
  | "gemini-interactions"
  | "ai-sdk"
  | "neutral";

/**
 * One provider's request format: what it asks for, how a request is lowered to it, and whether a payload is legal. One of
 * your own is handed to `ContextSession.open` as `format`, and in `formats` to what replays or folds without a session.
 */
export interface ProviderFormat {
  /** The journal records it with every request. One of your own needs a name that stays. */
  readonly id: FormatId | (string & {});
  /**
   * The field of a payload that lists the messages, such as `messages` or `contents`. Each message is lowered by itself, or
   * with others of its speaker.
   */
  readonly messagesField: string;
  /** What rendering conforms to and what `check` looks for, as data. */
  readonly rules: LegalityTable;
  /** Lowers a request, part by part. Total: what the format cannot hold is for `check` to find. */
  lower(request: ChatRequest, options?: LowerOptions): LoweredRequest;
  /**
   * Places cache breakpoints in a payload that `lower` made of this request, in place of those that came with the thread.
   * Absent where a provider finds cached prefixes by itself, as Gemini does.
   */
  mark?(payload: JsonObject, request: ChatRequest, cache: CacheOptions): JsonObject;
  /** Where `mark` places them; null where it places none. What a prompt cache can have of the request is known by it. */
  places?(request: ChatRequest, cache: CacheOptions): BreakpointPlaces | null;
  /**
   * Checks any payload against the rules. With the manifest of its rendering, violations also name message and record;
   * without one the payload is foreign, and its whole shape is checked against the wire schema too.
   */
  check(payload: unknown, manifest?: RenderManifest): readonly LegalityViolation[];
}
