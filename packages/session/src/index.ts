export { type BackgroundOptions, backgroundOptions } from "./background/background-options.ts";
export { type CompactionJob, compactionJobKey, parseCompactionJob } from "./background/compaction-job.ts";
export {
  type CompactionQueue,
  type DeadCompactionJob,
  type EnqueueResult,
  type JobDelivery,
  type JobProblem,
  type JobResult,
  type JobSettlement,
  type QueueSubscription,
  queueTimedOut,
} from "./background/compaction-queue.ts";
export {
  type CompactionWorker,
  type CompactionWorkerEvent,
  type CompactionWorkerFigures,
  type CompactionWorkerOptions,
  startCompactionWorker,
} from "./background/compaction-worker.ts";
export type { JobPorts, WorkerSessionOptions } from "./background/run-compaction-job.ts";
export type { CompactOptions } from "./fold/compact-options.ts";
export { ContextSession } from "./context-session.ts";
export {
  HIDDEN_KINDS,
  type HiddenContent,
  hiddenContent,
  type HiddenItem,
  type HiddenKind,
  type HiddenList,
} from "./fold/hidden-content.ts";
export { type PlanPreview, type PreviewOutcome, previewPlan } from "./fold/preview-plan.ts";
export { DISABLE_COMPACTION, disabledReason, type Environment, processEnvironment } from "./fold/compaction-switch.ts";
export {
  type CompletedResponse,
  type ModelResponse,
  type ToolCall,
  withoutTruncatedCalls,
} from "./answer/complete-response.ts";
export { type FailedCall, overflowIn } from "./answer/failed-call.ts";
export { type StopReason, stopReasonOf } from "./answer/stop-reason.ts";
export {
  afterAnswer,
  afterFold,
  afterOverflow,
  afterReport,
  afterSending,
  NO_USAGE,
  reportedTokens,
  type SentRequest,
  type UsageReport,
  type UsageState,
} from "./answer/usage-state.ts";
export { type ForkedThread, type ForkOptions, forkThread } from "./thread/fork-thread.ts";
export { type Handoff, handoff, type HandoffOptions, type HandoffSource } from "./handoff/handoff.ts";
export { planWindow } from "./thread/plan-window.ts";
export type { OverBudget, PrepareOptions } from "./request/prepare-options.ts";
export type { PreparedRequest } from "./request/prepared-request.ts";
export { type ReplayedRequest, replayThread } from "./journal/replay-thread.ts";
export {
  EMPTY_FRAME,
  type FrameFields,
  isSameFrame,
  parseFrame,
  type RequestFrame,
  serializeFrame,
} from "./request/request-frame.ts";
export { type RenderedPlan, type RenderScene, RequestRenderer } from "./request/request-renderer.ts";
export type { ModelTarget } from "./request/request-scene.ts";
export type { BackgroundFold } from "./fold/session-folding.ts";
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
} from "./hooks/session-hooks.ts";
export { SerialQueue } from "./serial-queue.ts";
export type { SessionOptions } from "./session-options.ts";
export type { SessionStats } from "./session-stats.ts";
export type { UsageTotals } from "./answer/usage-totals.ts";
export { systemClock } from "./system-clock.ts";
export {
  extendState,
  extendStateInSteps,
  type ThreadState,
  threadState,
  threadStateInSteps,
} from "./thread/thread-state.ts";
export {
  referencedThread,
  referenceMetadata,
  referenceOf,
  referenceTo,
  type ThreadReference,
} from "./thread/thread-reference.ts";
export type { RecallTotals } from "./unfold/unfolding.ts";
