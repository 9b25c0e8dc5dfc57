import type { ArtifactId, MessageId, ThreadId } from "../model/ids.ts";
import type { SpanReference } from "../thread/span-reference.ts";
import type { CompactionCause, CompactionNotice, CompactionOutcome } from "./compaction-outcome.ts";

/** The fields of every event. Events carry ids and figures, never content. */
interface EventBase {
  readonly threadId: ThreadId;
  readonly budgetLimit: number;
}

/** The fields of every event of one attempt to fold: all of them carry the id that the attempt started with (L13). */
interface FoldEventBase {
  readonly foldId: string;
}

/** The events of folding, in the order in which they occur. Events about a plan come after its commit. */
export type ContextCompactionEvent = EventBase &
  (
    | (FoldEventBase & {
        readonly type: "compaction_check_started";
        readonly cause: CompactionCause;
        readonly tokensBefore: number;
      })
    | (FoldEventBase & {
        readonly type: "compaction_proposal_generated";
        readonly strategy: string;
        readonly span: SpanReference;
        readonly estimatedTokensFreed: number;
        readonly reason: string;
      })
    | (FoldEventBase & {
        readonly type:
          | "compaction_externalized"
          | "compaction_summarized"
          | "compaction_cleared"
          | "compaction_dropped";
        readonly planVersion: number;
        readonly strategy: string;
        readonly span: SpanReference;
        readonly tokensFreed: number;
      })
    /** The committed plan differs from what was proposed: overlaps, partial groups, sources that have changed. */
    | (FoldEventBase & {
        readonly type: "compaction_normalized";
        readonly planVersion: number;
        /** Name of the rule that made the change. */
        readonly rule: string;
        readonly problem: string;
        /** The messages that the rule treats differently than proposed. */
        readonly messageIds: readonly MessageId[];
      })
    /** The artifact store did not accept a body, so its message was not externalized. */
    | (FoldEventBase & {
        readonly type: "artifact_store_failed";
        readonly messageId: MessageId;
        /**
         * Describes the failure without quoting foreign text: code and message of a Threadfold error, name and code of
         * any other.
         */
        readonly problem: string;
        /** What was thrown, for debugging. It may quote content, so it must not be logged. */
        readonly cause: unknown;
      })
    | { readonly type: "compaction_rehydrated"; readonly artifactId: ArtifactId; readonly tokens: number }
    | { readonly type: "compaction_recalled"; readonly messageIds: readonly MessageId[]; readonly tokens: number }
    | { readonly type: "rehydration_failed"; readonly problem: string }
    | {
        /** A search by meaning failed or took too long, so the hits are those of the search by words alone. */
        readonly type: "vector_search_failed";
        /** The code of a ThreadfoldError, such as `TIMED_OUT`; null when anything else was thrown. */
        readonly code: string | null;
        readonly problem: string;
      }
    | {
        readonly type: "compaction_quality_measured";
        readonly planVersion: number;
        readonly turnsSinceCompaction: number;
        readonly stepsSinceCompaction: number;
        readonly rehydrationRequests: number;
        readonly recallRequests: number;
        readonly repeatedCalls: number;
        readonly agentAskedForContext: boolean;
        readonly taskCompletionSuccess: boolean | null;
      }
    | {
        /** The agent keeps asking for content that the newest fold took away. Emitted once per plan. */
        readonly type: "folded_content_missed";
        readonly planVersion: number;
        /** Calls to `read_artifact` and `search_thread`, and questions about what was said earlier, since the fold. */
        readonly asks: number;
        readonly stepsSinceCompaction: number;
      }
    | { readonly type: "rehydration_blocked_sensitivity"; readonly artifactId: ArtifactId; readonly reason: string }
    | {
        /** New messages may contain rules or retractions: `session.rules()` lists them for the host to decide. */
        readonly type: "rule_candidates_found";
        readonly messageIds: readonly MessageId[];
        /** The number of possible rules, and of possible retractions. */
        readonly rules: number;
        readonly retractions: number;
      }
    | {
        /**
         * Some standing constraints are not, or no longer, pinned: detected pins have a cap, and newer rules and those
         * of higher authority take precedence. They can be pinned explicitly.
         */
        readonly type: "detected_pins_left_out";
        /** The messages that contain the constraints. */
        readonly messageIds: readonly MessageId[];
        /** The number of constraints left out, and their tokens. */
        readonly count: number;
        readonly tokens: number;
        /** The most tokens that all detected pins may take together. */
        readonly maxTokens: number;
      }
    | { readonly type: "compaction_breaker_opened"; readonly failures: number; readonly reason: string }
    | { readonly type: "summarizer_failing"; readonly failures: number; readonly problem: string }
    | (FoldEventBase & {
        readonly type: "compaction_hook_failed";
        /** Name of the hook, and the moment at which it was called. */
        readonly hook: string;
        readonly moment: "pre-compact" | "post-compact" | "session-start" | "boundary";
        readonly problem: string;
      })
    /** A worker was asked to fold ahead of need, or is already doing so. */
    | {
        readonly type: "compaction_requested";
        /** The version of the plan that the worker is to build on. */
        readonly planVersion: number;
        readonly tokens: number;
        readonly reason: string;
        readonly status: "enqueued" | "in-flight";
      }
    /** No worker could be asked: the session folds on its own when a fold is due. */
    | { readonly type: "compaction_queue_failed"; readonly problem: string }
    /** A plan that a worker committed takes effect with the next request. */
    | { readonly type: "compaction_plan_taken"; readonly planVersion: number }
    | {
        readonly type: "journal_write_failed";
        /** Type of the journal record that could not be written yet. */
        readonly record: string;
        /** True if it will be written before the next request's record; false if it is lost, which audits tolerate. */
        readonly deferred: boolean;
        readonly problem: string;
      }
    | {
        readonly type: "compaction_reverted";
        readonly planVersion: number;
        /** The version whose records are in force again; 0 when the thread is shown unfolded. */
        readonly restoredVersion: number;
        readonly tokensBefore: number;
        readonly tokensAfter: number;
      }
    /** A plan was committed; a user interface can show the notice between the folded messages and what follows. */
    | (FoldEventBase & { readonly type: "compaction_boundary"; readonly notice: CompactionNotice })
    | (FoldEventBase & {
        readonly type: "compaction_completed";
        readonly cause: CompactionCause;
        readonly outcome: CompactionOutcome;
        readonly tokensBefore: number;
        readonly tokensAfter: number;
        readonly durationMilliseconds: number;
        readonly cost: FoldCost;
      })
  );

/** Receives events. It must not throw; what it throws is ignored. */
export type CompactionEventListener = (event: ContextCompactionEvent) => void;

/** The cost of a fold. Summarizer tokens are those that answers reported; a request without an answer has none. */
export interface FoldCost {
  /**
   * The number of requests to the summary model, including repeated ones and those that failed or whose answer was not
   * used. A summary counts as one if its summarizer does not report its requests.
   */
  readonly summarizerCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens that were read from the prompt cache, as the provider reported; absent when it reported nothing. */
  readonly cacheReadTokens?: number;
  /** Input tokens that were written to the prompt cache, likewise. */
  readonly cacheWriteTokens?: number;
  /**
   * What the commit costs in the prompt cache and saves in each later call, in input-token equivalents; null when it
   * was not weighed because nothing was folded or the provider's prices are not known.
   */
  readonly weighing: {
    readonly cost: number;
    readonly savingPerCall: number;
    readonly breakEvenCalls: number;
  } | null;
}

/**
 * Calls a listener of the host and ignores its result and its errors, including the later rejection of an `async`
 * listener.
 */
export function tellListener<Event>(listener: ((event: Event) => unknown) | undefined, event: Event): void {
  try {
    const answer: unknown = listener?.(event);
    if (answer instanceof Promise) answer.catch(ignore);
  } catch {
    // A failing listener must not break anything.
  }
}

const ignore = (): void => undefined;
