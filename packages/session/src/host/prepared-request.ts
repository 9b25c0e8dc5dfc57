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

/** What happens to a request that is over its budget after folding; see `SessionOptions.onOverBudget`. */
export type OverBudget = "barest" | "throw" | "send";

/** Options of `ContextSession.prepare`. */
export interface PrepareOptions {
  /**
   * Overrides the session's frame, field by field and for this request only: `{ tools }` keeps the session's `system`,
   * `{ system: [] }` sends none.
   */
  readonly frame?: FrameFields;
  /** Aborts a fold that is in progress; nothing is committed then. */
  readonly signal?: AbortSignal;
  /** Overrides the session's option of the same name. */
  readonly onOverBudget?: OverBudget;
}

/**
 * A reference to a prepared request that contains none of its content, for a durable engine to keep in its history
 * instead of the request. `ContextSession.prepareAgain` returns the request.
 */
export interface RequestReference {
  readonly threadId: ThreadId;
  /** Version of the plan that it was rendered with; 0 when nothing was folded. */
  readonly planVersion: number;
  /** SHA-256 of its payload as canonical JSON. */
  readonly digest: string;
}

/** A request that is ready to be sent, with what is known about it. */
export interface PreparedRequest {
  readonly format: string;
  /** The neutral request that the payload was lowered from. */
  readonly request: ChatRequest;
  /**
   * Body of the provider's request, without model name and output limit, which the host adds. With the session options
   * `cacheBreakpoints` or `cachePolicy` it also has this request's cache breakpoints, and with `providerCompaction` the
   * fields that ask the provider to compact.
   */
  readonly payload: JsonObject;
  /**
   * The payload as canonical JSON, without what `cacheBreakpoints` and `providerCompaction` add; `digest` covers it.
   */
  readonly payloadText: string;
  /** SHA-256 of `payloadText`. */
  readonly digest: string;
  /** A reference to this request, as plain JSON, with which `prepareAgain` returns it again. */
  readonly reference: RequestReference;
  /** Length of `payloadText` in bytes of UTF-8. */
  readonly bytes: number;
  /**
   * Names of the beta features that the request must ask for (`anthropic-beta`) because of a current or earlier
   * compaction at the provider. Empty when there was none.
   */
  readonly betas: readonly string[];
  /** How long the payload's breakpoints have prefixes cached; null when it has none, or when no time was chosen. */
  readonly cacheTime: "5m" | "1h" | null;
  /** Tokens of the counted request. */
  readonly tokens: number;
  /**
   * True when the request takes more than `maxInputTokens` minus output reserve and safety buffer, so that a provider
   * may refuse it. `prepare` returns such a request only with `onOverBudget: "send"`; `render` returns it regardless.
   */
  readonly overBudget: boolean;
  readonly breakdown: TokenBreakdown;
  readonly plan: CompactionPlan;
  readonly manifest: RenderManifest;
  readonly warnings: readonly RenderWarning[];
  readonly violations: readonly LegalityViolation[];
  readonly missingPins: readonly PinId[];
  /**
   * The outcome of folding before this request: `no-op` when no fold was due. Null for `render`, which does not fold.
   */
  readonly outcome: CompactionOutcome | null;
  /** Artifacts whose content was brought back for this request only. */
  readonly rehydrated: readonly ArtifactId[];
}

/** The model that requests go to, and its cap. */
export interface ModelTarget {
  /** Its name; see `SessionOptions.model`. */
  readonly model?: string;
  /**
   * Maximum tokens of a request to it. When omitted: the session's original cap, or the model's effective window if
   * that is smaller or no cap was set. For a model that has no row, the cap stays as it was.
   */
  readonly maxInputTokens?: number;
}
