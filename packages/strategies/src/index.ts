export {
  type CaptureDeterminism,
  declaredOverrides,
  declaredProbe,
  declareTool,
  type ToolDeclaration,
  type ToolTraits,
  withDeterminism,
} from "./durability/declared-tools.ts";
export {
  BUILT_IN_DURABILITY,
  durabilityPolicy,
  durableProposals,
  isRetrieval,
  toolOverride,
  toolPolicy,
} from "./durability/durability-policy.ts";
export { clearStrategy } from "./ladder/clear-strategy.ts";
export { dropStrategy } from "./ladder/drop-strategy.ts";
export { externalizeStrategy } from "./ladder/externalize-strategy.ts";
export { gatherGroups, summarizeGroups, summarizeStrategy, summaryLimit } from "./ladder/summarize-strategy.ts";
export { truncateStrategy } from "./ladder/truncate-strategy.ts";
export {
  AI_SDK_CONTEXT_LIMIT,
  AI_SDK_RECENT_MESSAGES,
  AI_SDK_RESERVES,
  AI_SDK_SUMMARY_TITLE,
  AI_SDK_SUMMARY_TOKENS,
  type AiSdkSettings,
  aiSdk,
  aiSdkPreset,
  compactionThreshold,
} from "./presets/ai-sdk.ts";
export { ampHandoffPreset } from "./presets/amp-handoff.ts";
export { claudeCodePreset } from "./presets/claude-code.ts";
export {
  CODEX_EFFECTIVE_WINDOW,
  CODEX_SUMMARY_PREFIX,
  CODEX_USER_MESSAGE_TOKENS,
  type CodexSettings,
  codex,
  codexAutoCompactLimit,
  codexPreset,
} from "./presets/codex.ts";
export { aboveReserves, type CompactionPreset, LAST_RESORT, outputReserve } from "./presets/compaction-preset.ts";
export {
  GOAT_CONTEXT_LIMIT,
  GOAT_MAX_OUTPUT_TOKENS,
  GOAT_PRESERVED_SHARE,
  GOAT_SUMMARY_WORDING,
  GOAT_UTILIZATION,
  goatPreset,
} from "./presets/goat.ts";
export { ladderPreset, threadfoldPreset } from "./presets/threadfold.ts";
export {
  OPENCODE_CONTINUATION,
  OPENCODE_PRUNE_MINIMUM,
  OPENCODE_PRUNE_PROTECT,
  type OpencodeSettings,
  opencode,
  opencodePreset,
} from "./presets/opencode.ts";
export {
  PI_KEEP_RECENT_TOKENS,
  PI_RESERVE_TOKENS,
  PI_SUMMARY_PREFIX,
  PI_SUMMARY_TOKENS,
  type PiSettings,
  pi,
  piPreset,
} from "./presets/pi.ts";
export { presetByName, PRESETS } from "./presets/preset-by-name.ts";
export {
  SPRING_SESSION,
  springSessionPreset,
  springSlidingPreset,
  springTokensPreset,
  springTurnsPreset,
} from "./presets/spring-session.ts";
export {
  analyzeInSteps,
  type CompactionProposal,
  type CompactionStrategy,
  type Hold,
  type OwnRecord,
  type StrategyContext,
  type StrategyExecution,
} from "./strategy/compaction-strategy.ts";
export { DraftPlan } from "./draft/draft-plan.ts";
export {
  foldableGroups,
  foldableInSteps,
  groupsBeside,
  groupsBesideInSteps,
  newestOrdinal,
  newestUserOrdinal,
} from "./draft/foldable-groups.ts";
export { unreadProposals, unreadResults } from "./draft/unread-results.ts";
export {
  type CompactionTrigger,
  checkedTrigger,
  NO_TRIGGER,
  partFailed,
  type TriggerDecision,
  type TriggerInput,
} from "./triggers/compaction-trigger.ts";
export { allOf, anyOf, towards } from "./triggers/composite-trigger.ts";
export {
  messageCountTrigger,
  messageTokensTrigger,
  shownMessageCountTrigger,
  shownTurnCountTrigger,
  stepCountTrigger,
  tokenCountTrigger,
  turnCountTrigger,
} from "./triggers/count-triggers.ts";
export {
  contextTokensTrigger,
  growthTrigger,
  overRoomTrigger,
  reportedUsageTrigger,
  softLimitTrigger,
  tokenFractionTrigger,
  usedTokensTrigger,
  whenAbove,
} from "./triggers/size-triggers.ts";
export {
  coldCacheTrigger,
  hardAfterCutOff,
  idleTrigger,
  manualTrigger,
  maxOutputTrigger,
  overflowTrigger,
} from "./triggers/event-triggers.ts";
export {
  backToCall,
  type CutPoint,
  lastMessages,
  lastMessagesFromTurnStart,
  lastShareOfMessages,
  lastSteps,
  lastTokens,
  lastTokensFromTurnStart,
  lastTokensInWholeTurns,
  lastTokensSplittingTurns,
  lastTurns,
  nothing,
  pastResults,
  realMessages,
  snapToTurnStart,
} from "./windows/cut-points.ts";
export { type PruneOptions, pruneStrategy } from "./windows/prune-strategy.ts";
export {
  recursiveSummarization,
  type RecursiveSummarizationOptions,
  slidingWindow,
  tokenCountWindow,
  turnWindow,
} from "./windows/window-strategies.ts";
export { type WindowOptions, windowStrategy } from "./windows/window-strategy.ts";
