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

/** Redacts secrets in a value, at any depth. */
export type Redact = <Value extends JsonValue>(value: Value) => Promise<Value>;

/**
 * What happens when a summarizer fails. `fold`: a summary made without it is used. `keep`: the fold ends as `failed`,
 * and nothing is folded.
 */
export type SummaryFailure = "fold" | "keep";

/** What a turn is decided from, at one moment: the thread, its plan, and what was learned about the model. */
export interface TurnState {
  readonly threadId: ThreadId;
  readonly tenantId: string | null;
  /** Identifies this check of the thread in events (L13). */
  readonly foldId: string;
  /** What caused the check. */
  readonly cause: CompactionCause;
  /** The thread, counted. */
  readonly state: ThreadState;
  /** The current plan, which a fold builds on. */
  readonly plan: CompactionPlan;
  readonly preset: CompactionPreset;
  /** The configuration, whose budget is the stricter of the configured one and the limit learned for the model. */
  readonly config: ContextCompactionConfig;
  /** Tokens that the request takes before its first message. */
  readonly overheadTokens: number;
  /** True while content that was just brought back must not be folded away again. */
  readonly spareRehydrated: boolean;
  readonly usage: UsageState;
  /** What happens to a fold whose summarizer fails; `fold` by default. */
  readonly onSummaryFailure?: SummaryFailure;
  /** How long a fold waits for a strategy that makes its own records, in milliseconds; 180 000 by default. */
  readonly summaryTimeLimitMs?: number;
  /** Seconds since the last request; undefined before the first one. */
  readonly idleSeconds: number | undefined;
  /** What the provider charges; undefined when unknown, and then nothing is weighed. */
  readonly price: PromptCachePrice | undefined;
  readonly history: FoldHistory;
  /** The newest message with a provider compaction item that the plan has not seen and the model accepts. */
  readonly providerItem?: MessageId;
}

/** The ports through which a turn's stages reach the outside. */
export interface TurnPorts {
  /** Renders plans over the state's thread, counts their tokens, and checks which rules they break. */
  readonly renderer: RequestRenderer;
  readonly summarizer: Summarizer;
  readonly artifacts: Pick<ArtifactStore, "store">;
  readonly clock: Clock;
  /** Redacts secrets in what code writes into summaries; absent when nothing is redacted. */
  readonly redact?: Redact;
  /** Checks whether the sources of replayable results are unchanged. */
  readonly determinismProbe?: DeterminismProbe;
  readonly emit: (event: ContextCompactionEvent) => void;
}

/** One check whether to fold, and the fold if there is one: its state and its ports. */
export interface Turn extends TurnState, TurnPorts {}

/** Returns a key of what a fold depends on: while it stays the same, another fold would have the same outcome. */
export function attemptKey({ state, plan, renderer, config, usage }: Turn): string {
  const asked = `${usage.overflow} ${usage.maxOutput} ${usage.measured?.inputTokens ?? "-"}`;
  return `${state.thread.version} ${plan.version} ${renderer.measure(plan)} ${roomTokens(config)} ${asked}`;
}

/** Checks whether the same fold would have the same outcome again. */
export function isSettled({ type }: CompactionOutcome): boolean {
  return type !== "postponed" && type !== "conflict" && type !== "aborted";
}
