import {
  type ArtifactStore,
  type Clock,
  type CompactionCause,
  type CompactionOutcome,
  type CompactionPlan,
  type ContextCompactionConfig,
  type ContextCompactionEvent,
  type DeterminismProbe,
  type JsonValue,
  type MessageId,
  type PromptCachePrice,
  roomTokens,
  type Summarizer,
  type ThreadId,
} from "@threadfold/core";
import type { CompactionPreset } from "@threadfold/strategies";
import type { RequestRenderer } from "../measure/request-renderer.ts";
import type { ThreadState } from "../measure/thread-state.ts";
import type { FoldHistory } from "./breaker.ts";
import type { UsageState } from "./usage.ts";

/** Takes secrets out of a value at any depth. */
export type Redact = <Value extends JsonValue>(value: Value) => Promise<Value>;

/** `fold`: a summary without the summarizer takes its place. `keep`: the fold ends as `failed`, and nothing is folded. */
export type SummaryFailure = "fold" | "keep";

/** What a turn is decided from, as it is at one moment: the thread, its plan, and what was learned of the model. */
export interface TurnState {
  readonly threadId: ThreadId;
  readonly tenantId: string | null;
  /** Names this check of the thread in events (L13). */
  readonly foldId: string;
  /** Who or what asked for the check. */
  readonly cause: CompactionCause;
  /** The thread, counted. */
  readonly state: ThreadState;
  /** The current plan, which a fold builds on. */
  readonly plan: CompactionPlan;
  readonly preset: CompactionPreset;
  /** The room is the stricter of what was configured and what the model was found to take. */
  readonly config: ContextCompactionConfig;
  /** Tokens that the request spends before its first message. */
  readonly overheadTokens: number;
  /** True while content that was just brought back must not be taken away again. */
  readonly spareRehydrated: boolean;
  readonly usage: UsageState;
  /** What becomes of a fold whose summarizer fails; `fold` where it is left out. */
  readonly onSummaryFailure?: SummaryFailure;
  /** Seconds since the last request; undefined before the first one. */
  readonly idleSeconds: number | undefined;
  /** What the provider charges; undefined when that is not known, and then nothing is weighed. */
  readonly price: PromptCachePrice | undefined;
  readonly history: FoldHistory;
  /** The newest message with an item of the provider's own compaction, where the plan has not seen it and the model takes it. */
  readonly providerItem?: MessageId;
}

/** What a turn's stages reach the outside with. */
export interface TurnPorts {
  /** Renders plans over the state's thread, and says what they take and which rules they break. */
  readonly renderer: RequestRenderer;
  readonly summarizer: Summarizer;
  readonly artifacts: Pick<ArtifactStore, "store">;
  readonly clock: Clock;
  /** Takes secrets out of what code writes into summaries; absent where nothing is redacted. */
  readonly redact?: Redact;
  /** Checks whether the sources of replayable results are unchanged. */
  readonly determinismProbe?: DeterminismProbe;
  readonly emit: (event: ContextCompactionEvent) => void;
}

/** One check whether to fold, and the fold when there is one: the state and what it is folded with. */
export interface Turn extends TurnState, TurnPorts {}

/** Names what a fold depends on: while it is the same there is nothing new to fold, to be told of or to be asked for. */
export function attemptKey({ state, plan, renderer, config, usage }: Turn): string {
  const asked = `${usage.overflow} ${usage.maxOutput} ${usage.measured?.inputTokens ?? "-"}`;
  return `${state.thread.version} ${plan.version} ${renderer.measure(plan)} ${roomTokens(config)} ${asked}`;
}

/** True for outcomes that the same fold would have again. */
export function isSettled({ type }: CompactionOutcome): boolean {
  return type !== "postponed" && type !== "conflict" && type !== "aborted";
}
