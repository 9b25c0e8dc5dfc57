import type {
  ArtifactId,
  ChatRequest,
  CompactionOutcome,
  CompactionPlan,
  JsonObject,
  LegalityViolation,
  PinId,
  TokenBreakdown,
} from "@threadfold/core";
import type { RenderManifest, RenderWarning } from "@threadfold/renderer";

/** A request that is ready to be sent, and everything that is to be said about it. */
export interface PreparedRequest {
  readonly format: string;
  /** The neutral request that the payload was lowered from. */
  readonly request: ChatRequest;
  /**
   * Body of the provider's request, without model name and output limit, which the host adds. With the session option
   * `cacheBreakpoints` it also has the cache marks of this one request.
   */
  readonly payload: JsonObject;
  /** The payload as canonical JSON, without the marks of `cacheBreakpoints`: the bytes that `digest` is over. */
  readonly payloadText: string;
  /** SHA-256 of `payloadText`. */
  readonly digest: string;
  /** Length of `payloadText` in bytes of UTF-8. */
  readonly bytes: number;
  /** Tokens of the counted request. */
  readonly tokens: number;
  /**
   * True when it takes more than `maxInputTokens` less `outputReserveTokens`, so that a provider may refuse it. Of `prepare`
   * only with `onOverBudget: "send"`; `render` does not look.
   */
  readonly overBudget: boolean;
  readonly breakdown: TokenBreakdown;
  readonly plan: CompactionPlan;
  readonly manifest: RenderManifest;
  readonly warnings: readonly RenderWarning[];
  readonly violations: readonly LegalityViolation[];
  readonly missingPins: readonly PinId[];
  /** What folding came to before this request: `no-op` when none was due. Null for one of `render`, which does not look. */
  readonly outcome: CompactionOutcome | null;
  /** Artifacts that were brought back for this request alone. */
  readonly rehydrated: readonly ArtifactId[];
}
