import type {
  ArtifactStore,
  Clock,
  CompactionCause,
  CompactionPlan,
  ContextCompactionConfig,
  ContextCompactionEvent,
  PromptCachePrice,
  Summarizer,
  ThreadId,
} from "@threadfold/core";
import type { CompactionPreset, FoldHistory, FoldPorts } from "@threadfold/strategies";
import type { UsageState } from "../answer/usage-state.ts";
import type { RequestRenderer } from "../request/request-renderer.ts";
import type { ThreadState } from "../thread/thread-state.ts";

/** Everything that a fold of a session depends on, as it is at one moment. */
export interface FoldScene {
  readonly threadId: ThreadId;
  /** Names the attempt in events (L13). */
  readonly foldId: string;
  readonly cause: CompactionCause;
  readonly tenantId: string | null;
  readonly state: ThreadState;
  /** The current plan, which a fold builds on. */
  readonly plan: CompactionPlan;
  readonly preset: CompactionPreset;
  /** The room is the stricter of what was configured and what the model was found to take. */
  readonly config: ContextCompactionConfig;
  /** Tokens that the request spends before its first message. */
  readonly overheadTokens: number;
  readonly renderer: RequestRenderer;
  readonly artifacts: ArtifactStore;
  readonly summarizer: Summarizer;
  /** Takes secrets out of what code writes into summaries; absent where nothing is redacted. */
  readonly redact?: NonNullable<FoldPorts["redact"]>;
  readonly determinismProbe?: NonNullable<FoldPorts["determinismProbe"]>;
  readonly clock: Clock;
  /** True while content that was just brought back must not be taken away again. */
  readonly spareRehydrated: boolean;
  readonly usage: UsageState;
  /** Seconds since the last request; undefined before the first one. */
  readonly idleSeconds: number | undefined;
  /** What the provider charges; undefined when that is not known, and then nothing is weighed. */
  readonly price: PromptCachePrice | undefined;
  readonly history: FoldHistory;
  readonly emit: (event: ContextCompactionEvent) => void;
}
