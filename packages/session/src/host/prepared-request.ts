import type {
  ArtifactId,
  ChatRequest,
  CompactionOutcome,
  CompactionPlan,
  JsonObject,
  LegalityViolation,
  PinId,
  ThreadId,
  TokenBreakdown,
} from "@threadfold/core";
import type { RenderManifest, RenderWarning } from "@threadfold/renderer";
import type { FrameFields } from "@threadfold/turn";

/** What becomes of a request that is over its budget after folding; see `SessionOptions.onOverBudget`. */
export type OverBudget = "barest" | "throw" | "send";

/** How the next request is prepared. */
export interface PrepareOptions {
  /**
   * Takes precedence over the frame that the session was opened with, field by field and for this request alone:
   * `{ tools }` keeps the session's `system`, `{ system: [] }` sends none.
   */
  readonly frame?: FrameFields;
  /** Ends a fold that is under way. Nothing is committed then. */
  readonly signal?: AbortSignal;
  /** Takes precedence over the session's own option. */
  readonly onOverBudget?: OverBudget;
}

/**
 * Names a prepared request without a word of it: what belongs into the history of a durable engine in the request's place.
 * `ContextSession.prepareAgain` has the request.
 */
export interface RequestReference {
  readonly threadId: ThreadId;
  /** The plan that it was rendered with; 0 where nothing was folded. */
  readonly planVersion: number;
  /** SHA-256 of its payload as canonical JSON. */
  readonly digest: string;
}

/** A request that is ready to be sent, and everything that is to be said about it. */
export interface PreparedRequest {
  readonly format: string;
  /** The neutral request that the payload was lowered from. */
  readonly request: ChatRequest;
  /**
   * Body of the provider's request, without model name and output limit, which the host adds. With the session option
   * `cacheBreakpoints` or `cachePolicy` it also has the cache marks of this one request, and with `providerCompaction` the field that asks for that.
   */
  readonly payload: JsonObject;
  /** The payload as canonical JSON, without what `cacheBreakpoints` and `providerCompaction` add: the bytes that `digest` is over. */
  readonly payloadText: string;
  /** SHA-256 of `payloadText`. */
  readonly digest: string;
  /** Its name, plain JSON, by which `prepareAgain` hands it out again. */
  readonly reference: RequestReference;
  /** Length of `payloadText` in bytes of UTF-8. */
  readonly bytes: number;
  /**
   * Names of the beta features that the request must ask for on account of a compaction at the provider, now or before
   * (`anthropic-beta`). Empty where there is none.
   */
  readonly betas: readonly string[];
  /** For which time the marks of the payload have prefixes kept; null where it has none, or nobody chose. */
  readonly cacheTime: "5m" | "1h" | null;
  /** Tokens of the counted request. */
  readonly tokens: number;
  /**
   * True when it takes more than `maxInputTokens` less answer and safety buffer, so that a provider may refuse it. Of `prepare`
   * only with `onOverBudget: "send"`; `render` does not look.
   */
  readonly overBudget: boolean;
  readonly breakdown: TokenBreakdown;
  readonly plan: CompactionPlan;
  readonly manifest: RenderManifest;
  readonly warnings: readonly RenderWarning[];
  readonly violations: readonly LegalityViolation[];
  readonly missingPins: readonly PinId[];
  /** What folding did before this request: `no-op` when none was due. Null for one of `render`, which does not look. */
  readonly outcome: CompactionOutcome | null;
  /** Artifacts that were brought back for this request alone. */
  readonly rehydrated: readonly ArtifactId[];
}

/** The model that requests go to, as far as making them depends on it. */
export interface ModelTarget {
  /** Its name; see `SessionOptions.model`. */
  readonly model?: string;
  /**
   * Tokens that a request to it may have. When left out: what the session was opened with, or the model's effective window
   * where that is less or nothing was set; of a model that no row names, the cap stays as it was.
   */
  readonly maxInputTokens?: number;
}
