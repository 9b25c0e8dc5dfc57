export {
  type CompletedResponse,
  type FailedCall,
  type ModelResponse,
  overflowIn,
  type ToolCall,
  withoutTruncatedCalls,
} from "./host/model-response.ts";
export {
  type BackgroundOptions,
  backgroundOptions,
  type CompactionJob,
  compactionJobKey,
  type CompactionQueue,
  type DeadCompactionJob,
  type EnqueueResult,
  type JobDelivery,
  type JobProblem,
  type JobResult,
  type JobSettlement,
  parseCompactionJob,
  type QueueSubscription,
  queueTimedOut,
} from "./queue/compaction-queue.ts";
export {
  type CompactionWorker,
  type CompactionWorkerEvent,
  type CompactionWorkerFigures,
  type CompactionWorkerOptions,
  startCompactionWorker,
} from "./worker/compaction-worker.ts";
export type { JobPorts, WorkerSessionOptions } from "./worker/run-compaction-job.ts";
export { ContextSession } from "./loop/context-session.ts";
export { DISABLE_COMPACTION, disabledReason, type Environment, processEnvironment } from "./host/compaction-switch.ts";
export type { BackgroundFold } from "./fold/background-folds.ts";
export type { SubAgent, SubAgentOptions, SubAgentResult } from "./handoff/sub-agent.ts";
export { type Handoff, handoff, type HandoffOptions, type HandoffSource } from "./handoff/handoff.ts";
export type {
  BoundaryHook,
  Hook,
  HookMatcher,
  PostCompactHook,
  PostCompactInput,
  PreCompactHook,
  PreCompactInput,
  PreCompactRuling,
  SessionHooks,
  SessionStartAddition,
  SessionStartHook,
  SessionStartInput,
} from "./host/session-hooks.ts";
export {
  type RecordedRequest,
  RecordedRequests,
  type RecordedRequestsOptions,
  type RecordedSources,
} from "./replay/recorded-requests.ts";
export { planWindow, type ReplayedRequest, type ReplayOptions, replayThread } from "./replay/replay-thread.ts";
export type {
  ModelTarget,
  OverBudget,
  PreparedRequest,
  PrepareOptions,
  RequestReference,
} from "./host/prepared-request.ts";
export { SerialQueue } from "./waits/turn-queue.ts";
export { assistantMessage, type MessageNames, text, toolMessage, userMessage } from "./host/messages.ts";
export type { OpenOptions, ProviderCompactionOption, SessionOptions } from "./host/session-options.ts";
export type { SessionStats } from "./loop/session-stats.ts";
export { systemClock } from "./host/session-parts.ts";
export { type ForkedThread, type ForkOptions, forkThread } from "./thread/fork-thread.ts";
export {
  referencedThread,
  referenceMetadata,
  referenceOf,
  referenceTo,
  type ThreadReference,
} from "./handoff/thread-reference.ts";
export type { RecallTotals } from "./unfold/unfolding.ts";
// The parts of a turn that a host passes in or receives.
export {
  type CompactOptions,
  EMPTY_FRAME,
  type FrameFields,
  HIDDEN_KINDS,
  type HiddenContent,
  type HiddenItem,
  type HiddenKind,
  type HiddenList,
  NO_USAGE,
  type PlanPreview,
  type PreviewOutcome,
  type RenderSources,
  type RenderedPlan,
  type RequestFrame,
  RequestRenderer,
  type SentRequest,
  type StopReason,
  type ThreadState,
  type UsageReport,
  type UsageState,
  type UsageTotals,
  afterAnswer,
  afterFold,
  afterOverflow,
  afterReport,
  afterSending,
  extendState,
  extendStateInSteps,
  hiddenContent,
  isSameFrame,
  parseFrame,
  previewPlan,
  serializeFrame,
  stopReasonOf,
  threadState,
  threadStateInSteps,
} from "@threadfold/turn";
export type { ShortSummaryOptions } from "./handoff/short-summary.ts";
