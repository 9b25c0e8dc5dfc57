import type { SpanReference } from "../groups/span-reference.ts";
import type { ArtifactId, MessageId, ThreadId } from "../model/ids.ts";
import type { CompactionOutcome } from "./compaction-outcome.ts";

/** What every event says (seed 002, `ContextCompactionEvent`). Events carry ids and figures and never content. */
interface EventBase {
  readonly threadId: ThreadId;
  readonly budgetLimit: number;
}

/** One moment in the life of a fold, in the order in which they come. */
export type ContextCompactionEvent = EventBase &
  (
    | { readonly type: "compaction_check_started"; readonly tokensBefore: number }
    | {
        readonly type: "compaction_proposal_generated";
        readonly strategy: string;
        readonly span: SpanReference;
        readonly estimatedTokensFreed: number;
        readonly reason: string;
      }
    | {
        readonly type:
          | "compaction_externalized"
          | "compaction_summarized"
          | "compaction_cleared"
          | "compaction_dropped"
          | "compaction_retrieved";
        readonly strategy: string;
        readonly span: SpanReference;
        readonly tokensFreed: number;
      }
    | { readonly type: "compaction_rehydrated"; readonly artifactId: ArtifactId; readonly tokens: number }
    | { readonly type: "compaction_recalled"; readonly messageIds: readonly MessageId[]; readonly tokens: number }
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
    | { readonly type: "rehydration_blocked_sensitivity"; readonly artifactId: ArtifactId; readonly reason: string }
    | { readonly type: "compaction_breaker_opened"; readonly failures: number; readonly reason: string }
    | { readonly type: "summarizer_failing"; readonly failures: number; readonly problem: string }
    | { readonly type: "compaction_completed"; readonly outcome: CompactionOutcome }
  );

/** Receives events. It must not throw; what it throws is ignored. */
export type CompactionEventListener = (event: ContextCompactionEvent) => void;
