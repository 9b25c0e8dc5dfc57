import type { ChatRequest, JsonObject, LegalityViolation } from "@threadfold/core";
import type { BreakpointPlaces } from "../cache/breakpoint-places.ts";
import type { CapabilityTable } from "../input/model-capabilities.ts";
import type { RenderManifest } from "../input/render-manifest.ts";
import type { LegalityTable } from "../legality/legality-rule.ts";

/** A request in a provider's own shape. */
export interface LoweredRequest {
  /**
   * Body of the provider's request without the model name and output limit, which the host adds. It shares objects with
   * the request it was made from: copy before you change it.
   */
  readonly payload: JsonObject;
}

/** How the ends of cached prefixes are marked in a payload. */
export interface CacheOptions {
  /** The previous request, if known. */
  readonly previous?: ChatRequest;
  /** How long a prefix stays cached, if the provider offers a choice; the shorter time by default. */
  readonly ttl?: "5m" | "1h";
  /**
   * Name of the model. Without it, OpenAI's formats place no breakpoints, because models before GPT-5.6 reject them.
   */
  readonly model?: string;
  /** Rows that add to the table of model capabilities. */
  readonly capabilities?: CapabilityTable;
}

/** Options for lowering a request to a payload. */
export interface LowerOptions {
  /** Set to place cache breakpoints, if the format has them; they replace those that came with the thread. */
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
 * One provider's request format: its requirements, how a request is lowered to it, and whether a payload is legal. Pass
 * a custom one to `ContextSession.open` as `format`, and in `formats` to whatever replays or folds without a session.
 */
export interface ProviderFormat {
  /**
   * Id under which the journal records every request. A custom format needs a name that never changes, and under that
   * name it must make the same bytes forever: a new version takes a new id, and replays are given the old one as well.
   */
  readonly id: FormatId | (string & {});
  /**
   * The field of a payload that lists the messages, such as `messages` or `contents`. Each message is lowered
   * separately, or together with others of the same speaker.
   */
  readonly messagesField: string;
  /** The rules as data: what rendering conforms to and what `check` looks for. */
  readonly rules: LegalityTable;
  /**
   * Lowers a request, part by part, and leaves nothing out: what the format cannot hold is said in its requirements and
   * never reaches it. Never throws: whatever is still not legal is left for `check` to find.
   */
  lower(request: ChatRequest, options?: LowerOptions): LoweredRequest;
  /**
   * Places cache breakpoints in a payload that `lower` made of this request, replacing those that came with the thread.
   * Absent for providers that find cached prefixes themselves, such as Gemini.
   */
  mark?(payload: JsonObject, request: ChatRequest, cache: CacheOptions): JsonObject;
  /**
   * Returns where `mark` places breakpoints, or null if it places none. Used to tell how much of the request a prompt
   * cache can serve.
   */
  places?(request: ChatRequest, cache: CacheOptions): BreakpointPlaces | null;
  /**
   * Checks any payload against the rules. With the manifest of its rendering, violations also name the message and
   * record; without one the payload is treated as foreign, and its whole shape is checked against the wire schema too.
   */
  check(payload: unknown, manifest?: RenderManifest): readonly LegalityViolation[];
}
