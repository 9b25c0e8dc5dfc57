import type { Clock, ProviderAwareTokenizer } from "@threadfold/core";
import type { ToolCallReport } from "./tool-failure.ts";

/** How threads are served. Every field has a default. */
export interface ThreadServerOptions {
  /** Counts what results take. chars/4 by default. */
  readonly tokenizer?: ProviderAwareTokenizer;
  /** Says what time it is, for how long a result may be cached. The machine's clock by default. */
  readonly clock?: Clock;
  /** Most tokens that one result takes when the call does not say: the total that seed 002 gives to rehydration. A server knows no window: `recallTokens(window)` is what a session gives. */
  readonly maxTokens?: number;
  /**
   * Longest time for which a client may keep a resource, in milliseconds. It is never kept beyond the artifact's expiry,
   * and confidential and restricted content is not kept at all. Five minutes by default.
   */
  readonly maxCacheMs?: number;
  /** Hears of each call of a tool when it is over, such as `mcpTelemetry`. What it throws is ignored. */
  readonly onCall?: (report: ToolCallReport) => void;
  /** Hears what went wrong inside a call; the client is told only that something did. What it throws is ignored. */
  readonly onError?: (error: unknown) => void;
}
