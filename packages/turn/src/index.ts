export { type CompactionResult, compactionResult, type SessionEvent } from "./commit/compaction-result.ts";
export {
  HIDDEN_KINDS,
  type HiddenContent,
  hiddenContent,
  type HiddenItem,
  type HiddenKind,
  type HiddenList,
} from "./verify/hidden-content.ts";
export { type PlanPreview, type PreviewOutcome, previewPlan } from "./preview-plan.ts";
export { type LoggedCompaction, loggedRecords } from "./commit/logged-compaction.ts";
export { commitRecords, revertPlan } from "./commit/revert-plan.ts";
export {
  type CacheFigures,
  type CacheTemperature,
  cacheTemperature,
  callsToWait,
  type CommitFigures,
  type CommitWeighing,
  configForEpoch,
  expectedRemainingCalls,
  growthPerCall,
  type WaitFigures,
  weighCommit,
} from "./decide/costs.ts";
export { shownMessages, shownTurns } from "./decide/trigger.ts";
export { firstEdit } from "./decide/weigh-fold.ts";
export type { FoldInput, FoldPorts } from "./fold/fold-input.ts";
export { foldThread } from "./fold/fold-thread.ts";
export { type FoldDecision, decide } from "./decide/decide.ts";
export { foldTurn, planFloor, planTurn, type PlannedFold, type TurnCommit, type TurnResult } from "./turn.ts";
export { type BodyArchive, bodyArchive, type StorageProblem } from "./fulfil/body-archive.ts";
export { floorSummarizer } from "./fulfil/floor-summary.ts";
export {
  type CountedFailure,
  countFailure,
  countRest,
  limitedSummarizer,
  type MeteredSummarizer,
  meteredSummarizer,
  NO_SUMMARIZER_FAILURES,
  SUMMARIZER_FAILURE_LIMIT,
  SUMMARIZER_REST,
  summarizerAfter,
  type SummarizerFailures,
  SUMMARY_TIME_LIMIT_MS,
  waitedForOnce,
} from "./fulfil/summarizer-failures.ts";
export {
  AS_COUNTED,
  type MeasuredRequest,
  type ProviderCount,
  providerTokens,
  requestBudget,
} from "./measure/provider-count.ts";
export {
  EMPTY_FRAME,
  type FrameFields,
  isSameFrame,
  parseFrame,
  type RequestFrame,
  serializeFrame,
} from "./measure/request-frame.ts";
export { type RenderedPlan, type RenderSources, RequestRenderer } from "./measure/request-renderer.ts";
export {
  extendState,
  extendStateInSteps,
  inProviderTokens,
  type ThreadState,
  threadState,
  threadStateInSteps,
} from "./measure/thread-state.ts";
export {
  afterAttempt,
  type FinishedAttempt,
  type FoldHistory,
  foldHistory,
  type FoldMoment,
  type FoldPermission,
  mayFold,
} from "./state/breaker.ts";
export { type CompactOptions, isAsked, policyOfCall } from "./state/compact-options.ts";
export {
  afterAcceptance,
  afterRefusal,
  FIRST_TRUST,
  limitAfterOverflow,
  NO_LIMIT,
  type OverflowFigures,
  type LearnedLimit,
} from "./state/learned-limit.ts";
export {
  attemptKey,
  isSettled,
  type Redact,
  type SummaryFailure,
  type Turn,
  type TurnPorts,
  type TurnState,
} from "./state/turn-state.ts";
export {
  addUsage,
  afterAnswer,
  afterFold,
  afterOverflow,
  afterReport,
  afterSending,
  NO_TOTALS,
  NO_USAGE,
  type SentRequest,
  type StopReason,
  stopReasonOf,
  type UsageReport,
  type UsageState,
  type UsageTotals,
} from "./state/usage.ts";
export type { AttemptTrace, FoldReady, FoldResult } from "./verify/fold-result.ts";
