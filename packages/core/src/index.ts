export { finishSteps, type Steps } from "./steps/steps.ts";
export { ERROR_CODES, type ErrorCode, type ErrorCodeEntry } from "./errors/error-codes.ts";
export { ThreadfoldError, type ThreadfoldErrorOptions } from "./errors/threadfold-error.ts";
export {
  BudgetInfeasibleError,
  type IndispensableTokens,
  type InfeasibleRequest,
} from "./errors/budget-infeasible-error.ts";
export { nearestName } from "./errors/nearest-name.ts";
export {
  isJsonValue,
  type JsonObject,
  jsonObjectSchema,
  type JsonValue,
  jsonValueSchema,
  MAX_JSON_DEPTH,
  MAX_VALUE_DEPTH,
  textSchema,
} from "./json/json-value.ts";
export { canonicalJson } from "./json/canonical-json.ts";
export { toWellFormedJson } from "./json/well-formed-json.ts";
export { sha256 } from "./json/sha256.ts";
export { type RunningSha256, startPortableSha256, startSha256 } from "./json/running-sha256.ts";
export { digestOf } from "./json/digest.ts";
export { type CanonicalForm, canonicalForm, toCanonicalValue } from "./json/canonical-value.ts";
export { parseJson } from "./json/parse-json.ts";
export { freezeDeep } from "./json/freeze-deep.ts";
export {
  type ArtifactId,
  artifactIdSchema,
  asArtifactId,
  asMessageId,
  asPinId,
  asPlanId,
  asThreadId,
  asToolCallId,
  type MessageId,
  messageIdSchema,
  type PinId,
  pinIdSchema,
  type PlanId,
  planIdSchema,
  type ThreadId,
  threadIdSchema,
  type ToolCallId,
  toolCallIdSchema,
} from "./model/ids.ts";
export {
  type MediaPart,
  mediaPartSchema,
  type MediaSource,
  mediaSourceSchema,
  type ProviderMetadata,
  providerMetadataSchema,
  type TextPart,
  textPartSchema,
} from "./model/content-part.ts";
export {
  type OpaquePart,
  opaquePartSchema,
  type Part,
  partSchema,
  type ReasoningPart,
  reasoningPartSchema,
  type ToolCallPart,
  toolCallPartSchema,
  type ToolResultPart,
  toolResultPartSchema,
} from "./model/part.ts";
export {
  type DeterminismMetadata,
  determinismMetadataSchema,
  hasDrifted,
  type ToolDurability,
  toolDurabilitySchema,
} from "./model/tool-durability.ts";
export {
  type ToolOutcomeStatus,
  toolOutcomeStatusSchema,
  type ToolResultContent,
  toolResultContentSchema,
  type ToolResultEnvelope,
  toolResultEnvelopeSchema,
  toolResultText,
} from "./model/tool-result-envelope.ts";
export {
  type Message,
  type MessageInput,
  messageInputSchema,
  type MessageOrigin,
  messageOriginSchema,
  messageSchema,
  type Role,
  roleSchema,
  type Usage,
  usageSchema,
} from "./model/message.ts";
export { headerOf, type MessageHeader, type TokenShares, visibleText } from "./model/message-header.ts";
export {
  READ_ARTIFACT_TOOL_NAME,
  SEARCH_THREAD_TOOL_NAME,
  type ToolDefinition,
  toolDefinitionSchema,
} from "./model/tool-definition.ts";
export {
  type SystemEntry,
  systemEntrySchema,
  type SystemText,
  systemText,
  toSystemText,
  withSystemText,
} from "./model/system-text.ts";
export { type ChatMessage, type ChatRequest, type SyntheticKind, toChatMessage } from "./model/chat-request.ts";
export { type Sensitivity, sensitivitySchema } from "./model/sensitivity.ts";
export {
  type Authority,
  authoritySchema,
  mayLift,
  type Pin,
  pinSchema,
  type PinSource,
  pinSourceSchema,
} from "./thread/pin.ts";
export {
  type LiftedWhy,
  liftedWhySchema,
  type PinEntry,
  type PinLiftedEntry,
  type ThreadEntry,
  type ThreadEntryInput,
  threadEntryInputSchema,
  threadEntrySchema,
} from "./thread/thread-entry.ts";
export { placeMessage, START_OF_THREAD, startsTurn, type ThreadPosition } from "./thread/thread-position.ts";
export { entryDigest, type SerializedEntry, serializeEntry } from "./thread/entry-digest.ts";
export { nextThreadLink, THREAD_CHAIN_START } from "./thread/thread-link.ts";
export { restoreRun } from "./thread/thread-chain.ts";
export type { ThreadWindow } from "./thread/thread-window.ts";
export { ThreadAddition } from "./thread/thread-addition.ts";
export { AppendOnlyList } from "./thread/append-only-list.ts";
export { requireMessageList } from "./thread/require-message-list.ts";
export { AgentThread } from "./thread/agent-thread.ts";
export {
  type MessageRun,
  outlinedSpan,
  outlineOf,
  spanEnd,
  spanIdsInMemory,
  spanLength,
  spanOf,
  type SpanOutline,
  type SpanReference,
  spanReferenceSchema,
  spanStart,
} from "./groups/span-reference.ts";
export {
  firstOrdinal,
  type GroupedThread,
  groupMessages,
  lastOrdinal,
  type MessageGroup,
  type PairingIssue,
} from "./groups/message-group.ts";
export {
  detectConstraints,
  type LiftedPin,
  type RuleCandidate,
  ruleKey,
  rulesBehind,
  rulesBehindInSteps,
  type SaidRules,
  saidRules,
  saidRulesInSteps,
} from "./pins/detect-constraints.ts";
export { type DetectedRules, detectPins, detectPinsInSteps, type PinDetection } from "./pins/detect-pins.ts";
export { LONGEST_RULE, readRules, readRulesInSteps, type RuleDoubt, type RuleReading } from "./pins/read-rules.ts";
export {
  liftedPins,
  type LiftedRule,
  type LiveRule,
  type ThreadRules,
  threadRules,
  type UnpinnedRules,
  unpinnedRules,
} from "./pins/thread-rules.ts";
export {
  availableForMessages,
  availableTokens,
  compactionThreshold,
  DEFAULT_TOKEN_BUDGET,
  messageCapacity,
  overheadTokens,
  type ThresholdFigures,
  type TokenBudget,
  tokenBudget,
  utilization,
} from "./budget/token-budget.ts";
export type { TokenBreakdown } from "./budget/token-breakdown.ts";
export type { ProviderAwareTokenizer } from "./budget/provider-aware-tokenizer.ts";
export { type MessageTokens, tokenShares, tokenSharesInSteps } from "./budget/token-shares.ts";
export { type DurabilityOf, TokenLedger } from "./budget/token-ledger.ts";
export { contextWindow, DEFAULT_CONTEXT_WINDOW, MODEL_WINDOWS } from "./budget/model-windows.ts";
export {
  minimumCachedTokens,
  PROMPT_CACHE_PRICES,
  type PromptCachePrice,
  promptCachePrice,
  promptCachePriceOfFormat,
  promptCachePriceOfModel,
  promptCachePriceSchema,
} from "./budget/prompt-cache-prices.ts";
export { type SummaryWording, summaryWordingSchema } from "./budget/summary-wording.ts";
export {
  compactionConfig,
  type ContextCompactionConfig,
  contextCompactionConfigSchema,
  type SummaryRole,
  summaryRoleSchema,
  type ToolDurabilityPolicy,
  toolDurabilityPolicySchema,
} from "./budget/compaction-config.ts";
export { type RequestRoom, requestRoom, roomTokens } from "./budget/request-room.ts";
export {
  combineHandling,
  handlingOf,
  type SourceTrust,
  sourceTrustSchema,
  type SummaryHandling,
  summaryHandlingSchema,
} from "./summary/summary-handling.ts";
export {
  type ArtifactReference,
  type Decision,
  emptySummary,
  type ErrorItem,
  type FileItem,
  isUnsettled,
  type ItemSpeaker,
  itemSpeakerSchema,
  type OpenItem,
  type PlaceItem,
  sourcedItems,
  STRUCTURED_SUMMARY_SCHEMA_VERSION,
  type StructuredSummary,
  structuredSummarySchema,
  SUMMARY_SECTIONS,
  type SummaryItem,
  summaryItemSchemas,
  type SummarySection,
  type SummarySections,
  type TextItem,
  type ToolOutcome,
} from "./summary/structured-summary.ts";
export {
  applySummaryChanges,
  type MergedSummary,
  mergeSummaries,
  type NewItem,
  type ResolvedItem,
  resolvedItemSchema,
  saidIn,
  type SummaryChange,
  summaryItemId,
} from "./summary/summary-change.ts";
export { summarySubject } from "./summary/summary-subject.ts";
export { renderSummary, shownPath, SUMMARY_RENDER_VERSION } from "./summary/render-summary.ts";
export { sharedFolder, sharedFolderOf } from "./summary/shared-folder.ts";
export { restrictSummary } from "./summary/restrict-summary.ts";
export { type TrimmedSummary, trimSummary } from "./summary/trim-summary.ts";
export { endOfNarrative, NARRATIVE_CUT, shortenedNarrative } from "./summary/shortened-narrative.ts";
export { withoutLiftedRules } from "./summary/lifted-rules.ts";
export { saysVerbatim } from "./summary/borne-out.ts";
export {
  isPersonal,
  type MessageLookup,
  ORIGINAL_TASK_ITEM,
  SpokenWords,
  unsourcedInPlan,
  type UnsourcedItem,
  unsourcedItems,
} from "./summary/said-by.ts";
export { attributedSummary } from "./summary/attribute-summary.ts";
export {
  type BodyPreview,
  type ClearRecord,
  clearRecordSchema,
  type ClearTarget,
  clearTargetSchema,
  COMPACTION_PRECEDENCE,
  type CompactionAction,
  compactionActionSchema,
  type DropRecord,
  dropRecordSchema,
  type ExternalizationRecord,
  externalizationRecordSchema,
  type KeptEnds,
  LARGE_INPUT_STRING,
  type PlanRecord,
  previewOf,
  removesMessages,
  type SummarizationRecord,
  summarizationRecordSchema,
} from "./plan/plan-record.ts";
export {
  actionOf,
  checkPlanSchema,
  type CompactionPlan,
  compactionPlanSchema,
  emptyPlan,
  groupRecords,
  isSealed,
  NO_RECORDS,
  parsePlan,
  PLAN_SCHEMA_VERSION,
  type PlanContent,
  type PlannedAction,
  type PlanRecords,
  planRecords,
  requireIds,
  sealPlan,
  serializePlan,
} from "./plan/compaction-plan.ts";
export {
  abridgePlan,
  expandPlan,
  hiddenRuns,
  isAbridgedPlan,
  type MessagePlace,
  parseAbridgedPlan,
  type PlacedMessage,
  runsOfAbridged,
} from "./plan/abridged-plan.ts";
export { type ThreadShape, threadShape } from "./plan/thread-shape.ts";
export {
  type Assignment,
  type Claim,
  compareClaims,
  type NormalizationChange,
  type NormalizationRule,
  strengthOf,
} from "./plan/normalization.ts";
export { NORMALIZATION_RULES, type NormalizedRecords, normalizePlan } from "./plan/normalize-plan.ts";
export { type PlacedRecord, splitRecord } from "./plan/split-record.ts";
export { type PlanDiff, planDiff } from "./plan/plan-diff.ts";
export { explainMessage, type Explanation, type Recovery } from "./plan/explain.ts";
export type { LegalityViolation } from "./plan/legality-violation.ts";
export { foldedPins, ThreadView, type ViewEntry, viewThread } from "./view/thread-view.ts";
export type { CompactionCause } from "./events/compaction-cause.ts";
export type { CompactionOutcome, InstructionsEffect, TokensBeforeAfter } from "./events/compaction-outcome.ts";
export {
  type CompactionNotice,
  compactionNotice,
  type FoldedMessageCounts,
  type NoticeFacts,
  WARN_AFTER_COMPACTIONS,
} from "./events/compaction-notice.ts";
export type { FoldCost } from "./events/fold-cost.ts";
export type { CompactionEventListener, ContextCompactionEvent } from "./events/context-compaction-event.ts";
export { tellListener } from "./events/tell-listener.ts";
export type { Clock } from "./ports/clock.ts";
export { checkTimeLimit, raceSignal, timedOut, type TimeLimit, type Timers, withinLimit } from "./ports/time-limit.ts";
export { type EventLoop, EventLoopTurns } from "./ports/event-loop-turns.ts";
export { lastTurnAfter, type Summarizer, type SummarizeRequest, type SummarizeResult } from "./ports/summarizer.ts";
export type { SummaryCacheStore } from "./ports/summary-cache-store.ts";
export {
  type CompletionFinish,
  type CompletionMessage,
  type CompletionModel,
  type CompletionRequest,
  type CompletionResult,
  modelCallError,
  type ModelCallFailure,
  modelCallFailure,
  type ModelCallFailureKind,
} from "./ports/completion-model.ts";
export type { Artifact, ArtifactMetadata, ArtifactStore, SecurityContext } from "./ports/artifact-store.ts";
export { artifactIdOf, artifactIdPrefix } from "./ports/artifact-id.ts";
export type {
  AppendOptions,
  AppendResult,
  ExpectedVersion,
  Page,
  ThreadInfo,
  ThreadStore,
} from "./ports/thread-store.ts";
export type { CommitResult, CompactionStore, PlanInfo } from "./ports/compaction-store.ts";
export type {
  AuditJournal,
  FoldAttemptedRecord,
  JournalEntry,
  JournalRecord,
  RequestRefusedRecord,
  RequestRenderedRecord,
  ThreadErasedRecord,
} from "./ports/audit-journal.ts";
export { firstBrokenEntry, JOURNAL_START, nextJournalEntry } from "./ports/journal-chain.ts";
export {
  type ConsistencyClaim,
  EMPTY_TREE_ROOT,
  type InclusionClaim,
  merkleLeafHash,
  merkleLeafOf,
  merkleNodeHash,
  MerkleTree,
  verifyConsistency,
  verifyInclusion,
} from "./ports/merkle-tree.ts";
export { type Checkpoint, checkpointNote, type CheckpointSignature } from "./ports/checkpoint.ts";
export type { KeyStore, KeyWrapper, SubjectKey } from "./ports/key-store.ts";
export type { RecallHit, RecallIndex, RecallPage, RecallRequest } from "./ports/recall-index.ts";
export { type IndexedPassage, passagesOf, passageText, type RecallPassage } from "./ports/recall-passage.ts";
export {
  isBranchVisible,
  MAX_RECALL_LIMIT,
  readRecallRequest,
  recallCursor,
  type RecallSearch,
} from "./ports/recall-request.ts";
export { type PassageIndex, type ScoredPage, type ScoredPassage, searchPassages } from "./ports/recall-search.ts";
export { recallTerms, unspacedWords } from "./ports/recall-terms.ts";
export type { Embed, VectorEntry, VectorMatch, VectorStore } from "./ports/vector-store.ts";
export type { FoundMessage, ResumedThread, ThreadRanges } from "./ports/thread-ranges.ts";
export type { ThreadfoldStore } from "./ports/threadfold-store.ts";
export type { PlanVerification, PlanVerifier } from "./ports/plan-verifier.ts";
export {
  type DeterminismProbe,
  type ProbeVerdict,
  probeVerdict,
  type ReplayableResult,
} from "./ports/determinism-probe.ts";
