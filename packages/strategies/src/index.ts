export { BUILT_IN_DURABILITY, isRetrieval, plainToolName } from "./durability/built-in-durability.ts";
export { durabilityPolicy, toolOverride, toolPolicy } from "./durability/durability-policy.ts";
export {
  type CompactionTrigger,
  NO_TRIGGER,
  type TriggerDecision,
  type TriggerInput,
} from "./triggers/compaction-trigger.ts";
export { tokenFractionTrigger } from "./triggers/token-fraction-trigger.ts";
export {
  messageCountTrigger,
  stepCountTrigger,
  tokenCountTrigger,
  turnCountTrigger,
} from "./triggers/count-triggers.ts";
export { overRoomTrigger } from "./triggers/over-room-trigger.ts";
export { overflowTrigger } from "./triggers/overflow-trigger.ts";
export { allOf, anyOf } from "./triggers/composite-trigger.ts";
export { manualTrigger } from "./triggers/manual-trigger.ts";
export { hardAfterCutOff, maxOutputTrigger } from "./triggers/max-output-trigger.ts";
export { reportedUsageTrigger } from "./triggers/reported-usage-trigger.ts";
export { coldCacheTrigger, idleTrigger } from "./triggers/idle-triggers.ts";
export { growthTrigger } from "./triggers/growth-trigger.ts";
export { towards } from "./triggers/towards.ts";
export { whenAbove } from "./triggers/when-above.ts";
export { limitAfterOverflow, type OverflowFigures } from "./triggers/effective-limit.ts";
export { expectedRemainingCalls } from "./economics/expected-calls.ts";
export { growthPerCall } from "./economics/growth-per-call.ts";
export { configForEpoch } from "./economics/config-for-epoch.ts";
export { type CacheScene, type CacheTemperature, cacheTemperature } from "./economics/cache-temperature.ts";
export { type CommitFigures, type CommitWeighing, weighCommit } from "./economics/weigh-commit.ts";
export { afterAttempt, type FinishedAttempt, type FoldHistory, foldHistory } from "./economics/fold-history.ts";
export { type FoldMoment, type FoldPermission, mayFold } from "./economics/may-fold.ts";
export { callsToWait, type WaitScene } from "./economics/may-wait.ts";
export { firstEdit } from "./economics/first-edit.ts";
export type { CompactionProposal } from "./ladder/compaction-proposal.ts";
export type { CompactionStrategy, Hold, StrategyContext } from "./ladder/compaction-strategy.ts";
export { externalizeStrategy } from "./ladder/externalize-strategy.ts";
export { clearStrategy } from "./ladder/clear-strategy.ts";
export { gatherGroups, summarizeGroups, summarizeStrategy } from "./ladder/summarize-strategy.ts";
export { dropStrategy } from "./ladder/drop-strategy.ts";
export { truncateStrategy } from "./ladder/truncate-strategy.ts";
export { backToCall, type CutPoint, pastResults, realMessages, snapToTurnStart } from "./windows/cut-point.ts";
export {
  lastMessages,
  lastMessagesFromTurnStart,
  lastShareOfMessages,
  lastSteps,
  lastTokens,
  lastTokensFromTurnStart,
  lastTokensSplittingTurns,
  lastTurns,
  nothing,
} from "./windows/cut-points.ts";
export { type WindowOptions, windowStrategy } from "./windows/window-strategy.ts";
export { type CompactionResult, compactionResult, type SessionEvent } from "./session-compaction/compaction-result.ts";
export {
  recursiveSummarization,
  type RecursiveSummarizationOptions,
} from "./session-compaction/recursive-summarization.ts";
export { shownMessageCountTrigger } from "./session-compaction/shown-message-count-trigger.ts";
export { shownMessages } from "./session-compaction/shown-messages.ts";
export { shownTurnCountTrigger } from "./session-compaction/shown-turn-count-trigger.ts";
export { shownTurns } from "./session-compaction/shown-turns.ts";
export { slidingWindow, tokenCountWindow, turnWindow } from "./session-compaction/window-strategies.ts";
export { floorSummarizer } from "./fulfil/floor-summarizer.ts";
export {
  type CountedFailure,
  countFailure,
  countRest,
  NO_SUMMARIZER_FAILURES,
  SUMMARIZER_FAILURE_LIMIT,
  SUMMARIZER_REST,
  summarizerAfter,
  type SummarizerFailures,
} from "./summarizer-failures/summarizer-failures.ts";
export { type PruneOptions, pruneStrategy } from "./windows/prune-strategy.ts";
export { type BodyArchive, bodyArchive, type StorageProblem } from "./fulfil/body-archive.ts";
export type { AttemptTrace, FoldReady, FoldResult } from "./compactor/fold-result.ts";
export { type FoldInput, type FoldPorts, foldThread } from "./compactor/fold-thread.ts";
export type { CompactionPreset } from "./presets/compaction-preset.ts";
export { aboveReserves, LAST_RESORT, outputReserve } from "./presets/last-resort.ts";
export {
  GOAT_MAX_OUTPUT_TOKENS,
  GOAT_PRESERVED_SHARE,
  GOAT_SUMMARY_WORDING,
  GOAT_UTILIZATION,
  goatPreset,
} from "./presets/goat.ts";
export { claudeCodePreset } from "./presets/claude-code.ts";
export {
  CODEX_EFFECTIVE_WINDOW,
  CODEX_SUMMARY_PREFIX,
  CODEX_USER_MESSAGE_TOKENS,
  codexAutoCompactLimit,
  codexPreset,
} from "./presets/codex.ts";
export { OPENCODE_PRUNE_MINIMUM, OPENCODE_PRUNE_PROTECT, opencodePreset } from "./presets/opencode.ts";
export { ampHandoffPreset } from "./presets/amp-handoff.ts";
export {
  PI_KEEP_RECENT_TOKENS,
  PI_RESERVE_TOKENS,
  PI_SUMMARY_PREFIX,
  PI_SUMMARY_TOKENS,
  piPreset,
} from "./presets/pi.ts";
export {
  AI_SDK_RECENT_MESSAGES,
  AI_SDK_RESERVES,
  AI_SDK_SUMMARY_TITLE,
  AI_SDK_SUMMARY_TOKENS,
  aiSdkPreset,
} from "./presets/ai-sdk.ts";
export {
  SPRING_SESSION,
  springSessionPreset,
  springSlidingPreset,
  springTokensPreset,
  springTurnsPreset,
} from "./presets/spring-session.ts";
export { ladderPreset } from "./presets/ladder.ts";
export { threadfoldPreset } from "./presets/threadfold.ts";
export { presetByName, PRESETS } from "./presets/preset-by-name.ts";
