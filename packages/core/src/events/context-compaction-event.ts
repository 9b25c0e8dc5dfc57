import type { ArtifactId, MessageId, ThreadId } from "../model/ids.ts";
import type { SpanReference } from "../thread/span-reference.ts";
import type { CompactionCause, CompactionNotice, CompactionOutcome } from "./compaction-outcome.ts";

/** The fields of every event. Events carry ids and figures and never content. */
interface EventBase {
  readonly threadId: ThreadId;
  readonly budgetLimit: number;
}

/** What every event of one attempt to fold says: all of them carry the id that it was started with (L13). */
interface FoldEventBase {
  readonly foldId: string;
}

/** One event in the life of a fold, in the order in which they come. Events about a plan come after its commit. */
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
    /** What was proposed and what the committed plan holds differ: overlaps, half groups, sources that have changed. */
    | (FoldEventBase & {
        readonly type: "compaction_normalized";
        readonly planVersion: number;
        /** Name of the rule that made the change. */
        readonly rule: string;
        readonly problem: string;
        /** The messages whose fate changed. */
        readonly messageIds: readonly MessageId[];
      })
    /** The artifact store did not take a body: its message is not externalized. */
    | (FoldEventBase & {
        readonly type: "artifact_store_failed";
        readonly messageId: MessageId;
        /** Names the failure without quoting foreign text: the message of a Threadfold error, name and code of any other. */
        readonly problem: string;
        /** What was thrown, for debugging. It may quote content, so it must not be logged. */
        readonly cause: unknown;
      })
    | { readonly type: "compaction_rehydrated"; readonly artifactId: ArtifactId; readonly tokens: number }
    | { readonly type: "compaction_recalled"; readonly messageIds: readonly MessageId[]; readonly tokens: number }
    | { readonly type: "rehydration_failed"; readonly problem: string }
    | {
        /** A search by meaning failed or took too long: what was found is what words find. */
        readonly type: "vector_search_failed";
        /** The code of a ThreadfoldError, `TIMED_OUT` among them; null for what else was thrown. */
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
        /** The agent often asks for what the newest fold took away. Once a plan. */
        readonly type: "folded_content_missed";
        readonly planVersion: number;
        /** Calls of `read_artifact` and `search_thread`, and questions for what had been said, since the fold. */
        readonly asks: number;
        readonly stepsSinceCompaction: number;
      }
    | { readonly type: "rehydration_blocked_sensitivity"; readonly artifactId: ArtifactId; readonly reason: string }
    | {
        /** New messages say what may be a rule, or may take one back: `session.rules()` lists it for a host to decide. */
        readonly type: "rule_candidates_found";
        readonly messageIds: readonly MessageId[];
        /** How many may be rules, and how many may take one back. */
        readonly rules: number;
        readonly retractions: number;
      }
    | {
        /**
         * Standing constraints are not, or no longer, pinned: detected pins have a cap, and newer rules and those of higher
         * authority go first. They can be pinned explicitly.
         */
        readonly type: "detected_pins_left_out";
        /** The messages that they stand in. */
        readonly messageIds: readonly MessageId[];
        /** How many they are, and their tokens. */
        readonly count: number;
        readonly tokens: number;
        /** What all detected pins may take together. */
        readonly maxTokens: number;
      }
    | { readonly type: "compaction_breaker_opened"; readonly failures: number; readonly reason: string }
    | { readonly type: "summarizer_failing"; readonly failures: number; readonly problem: string }
    | (FoldEventBase & {
        readonly type: "compaction_hook_failed";
        /** Name of the hook, and the moment that it was called at. */
        readonly hook: string;
        readonly moment: "pre-compact" | "post-compact" | "session-start" | "boundary";
        readonly problem: string;
      })
    /** A worker was asked to fold ahead of need, or is already doing so. */
    | {
        readonly type: "compaction_requested";
        /** The plan that the worker is to build on. */
        readonly planVersion: number;
        readonly tokens: number;
        readonly reason: string;
        readonly status: "enqueued" | "in-flight";
      }
    /** No worker could be asked: the session folds by itself when it has to. */
    | { readonly type: "compaction_queue_failed"; readonly problem: string }
    /** A plan that a worker committed holds from the next request on. */
    | { readonly type: "compaction_plan_taken"; readonly planVersion: number }
    | {
        readonly type: "journal_write_failed";
        /** Type of the journal record that could not be written yet. */
        readonly record: string;
        /** True when it is written before the next request's; false when it is lost, which an audit does not miss. */
        readonly deferred: boolean;
        readonly problem: string;
      }
    | {
        readonly type: "compaction_reverted";
        readonly planVersion: number;
        /** The version whose records hold again; 0 when the thread is shown unfolded. */
        readonly restoredVersion: number;
        readonly tokensBefore: number;
        readonly tokensAfter: number;
      }
    /** A plan was committed: what a user interface shows between what was folded and what follows. */
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

/** What a fold cost. Tokens of the summarizer are those that it reported. */
export interface FoldCost {
  /** How often a summarizer was asked, attempts that were not taken included. */
  readonly summarizerCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input, what the model's provider said of its prompt cache; absent where it said nothing. */
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /**
   * What the commit costs in the prompt cache and saves in each call after it, in input-token-equivalents; null when it was
   * not weighed, because nothing was folded or the provider's prices are not known.
   */
  readonly weighing: {
    readonly cost: number;
    readonly savingPerCall: number;
    readonly breakEvenCalls: number;
  } | null;
}

/**
 * Calls a listener of the host and ignores its result: what it throws, now or, when it is an `async` function, later,
 * must break nothing.
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
