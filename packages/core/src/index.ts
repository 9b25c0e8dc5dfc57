export {
  checkArgument,
  checkCalls,
  checkClient,
  checkEach,
  checkOptions,
  checkStore,
  hasMember,
  isObject,
  type OptionKind,
  type OptionKinds,
  refuseArgument,
} from "./errors/checked-options.ts";
export { ERROR_CODES, type ErrorCode, type ErrorCodeEntry } from "./errors/error-codes.ts";
export {
  BudgetInfeasibleError,
  historyNotLoaded,
  type IndispensableTokens,
  type InfeasibleRequest,
  nearestName,
  problemOf,
  ThreadfoldError,
  type ThreadfoldErrorOptions,
} from "./errors/threadfold-error.ts";
export {
  freezeDeep,
  isJsonValue,
  isPlainObject,
  type JsonObject,
  jsonObjectSchema,
  type JsonValue,
  jsonValueSchema,
  MAX_JSON_DEPTH,
  MAX_VALUE_DEPTH,
  textSchema,
  toWellFormedJson,
} from "./json/json-value.ts";
export { type CanonicalForm, canonicalForm, canonicalJson, toCanonicalValue } from "./json/canonical-json.ts";
export { digestOf, type RunningSha256, sha256, startPortableSha256, startSha256 } from "./json/sha256.ts";
export { parseJson } from "./json/parse-json.ts";
export { type EventLoop, EventLoopTurns, finishSteps, LongMap, type Steps } from "./time/steps.ts";
export {
  checkTimeLimit,
  type Clock,
  raceSignal,
  timedOut,
  type TimeLimit,
  type Timers,
  withinLimit,
} from "./time/clock.ts";
export {
  type ArtifactId,
  artifactIdOf,
  artifactIdPrefix,
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
  type DeterminismMetadata,
  determinismMetadataSchema,
  hasDrifted,
  type MediaPart,
  mediaPartSchema,
  type MediaSource,
  mediaSourceSchema,
  type OpaquePart,
  opaquePartSchema,
  type Part,
  partSchema,
  type ProviderMetadata,
  providerMetadataSchema,
  type ReasoningPart,
  reasoningPartSchema,
  type TextPart,
  textPartSchema,
  type ToolCallPart,
  toolCallPartSchema,
  type ToolDurability,
  toolDurabilitySchema,
  type ToolOutcomeStatus,
  toolOutcomeStatusSchema,
  type ToolResultContent,
  toolResultContentSchema,
  type ToolResultEnvelope,
  toolResultEnvelopeSchema,
  type ToolResultPart,
  toolResultPartSchema,
  toolResultText,
} from "./model/part.ts";
export {
  type Message,
  type MessageInput,
  messageInputSchema,
  type MessageOrigin,
  messageOriginSchema,
  messageSchema,
  type Role,
  roleSchema,
  type Sensitivity,
  sensitivitySchema,
  type Usage,
  usageSchema,
  visibleText,
} from "./model/message.ts";
export {
  type ArgumentRole,
  type FileUse,
  fileArgument,
  fileUse,
  hasRole,
  isPath,
  isStepList,
  namesFile,
  onlyLooks,
  plainToolName,
  questionsToUser,
  refusalReason,
  type ToolKind,
  toolArgument,
  toolArguments,
  toolKind,
} from "./model/tool-use.ts";
export { resultLabel, textIn, typedRanges, typedText } from "./model/typed-text.ts";
export {
  type ChatMessage,
  type ChatRequest,
  READ_ARTIFACT_TOOL_NAME,
  SEARCH_THREAD_TOOL_NAME,
  type SyntheticKind,
  type SystemEntry,
  systemEntrySchema,
  type SystemText,
  systemText,
  toChatMessage,
  type ToolDefinition,
  toolDefinitionSchema,
  toSystemText,
  withSystemText,
} from "./providers/chat-request.ts";
export {
  checkModelRows,
  contextWindow,
  DEFAULT_CONTEXT_WINDOW,
  MODELS,
  type ModelRow,
  modelName,
  modelRow,
  modelRowSchema,
  suggestedCap,
} from "./providers/models.ts";
export {
  minimumCachedTokens,
  PROMPT_CACHE_PRICES,
  type PromptCachePrice,
  promptCachePrice,
  promptCachePriceFor,
  promptCachePriceOfFormat,
  promptCachePriceOfModel,
  promptCachePriceSchema,
} from "./providers/cache-prices.ts";
export {
  type CachedRequest,
  type CacheMatching,
  cacheMatching,
  type CacheOutcome,
  type CacheSimulation,
  inputBill,
  type PrefixUnit,
  PromptCache,
  simulatePrefixCache,
} from "./providers/prompt-cache.ts";
export {
  type Authority,
  authoritySchema,
  type LiftedWhy,
  liftedWhySchema,
  mayLift,
  type Pin,
  type PinEntry,
  type PinLiftedEntry,
  pinSchema,
  type PinSource,
  pinSourceSchema,
  type ThreadEntry,
  type ThreadEntryInput,
  threadEntryInputSchema,
  threadEntrySchema,
} from "./thread/thread-entry.ts";
export {
  placeMessage,
  requireMessageList,
  START_OF_THREAD,
  startsTurn,
  ThreadAddition,
  type ThreadPosition,
} from "./thread/thread-addition.ts";
export {
  entryDigest,
  nextThreadLink,
  restoreRun,
  restoreRunInSteps,
  type SerializedEntry,
  serializeEntry,
  THREAD_CHAIN_START,
} from "./thread/thread-chain.ts";
export { AgentThread, type ThreadWindow, type VersionedPinEntry } from "./thread/agent-thread.ts";
export { AppendOnlyList, AppendOnlySet, RunningTotals, sharedLength } from "./thread/append-only-list.ts";
export {
  type CountedRuns,
  countIds,
  type RunCount,
  type MessageRun,
  type OrdinalRun,
  outlinedSpan,
  outlineOf,
  borderIds,
  runsOfSpan,
  spanEnd,
  spanIdsInMemory,
  spanContains,
  spanLength,
  spanOf,
  type SpanOutline,
  type SpanReference,
  spanReferenceSchema,
  spanStart,
} from "./thread/span-reference.ts";
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
  FolderCount,
  fileName,
  isSameFile,
  isSpelledAsCode,
  plainPath,
  sharedFolder,
  sharedFolderOf,
  shownPath,
  strongestAction,
} from "./summary/file-item.ts";
export {
  renderItem,
  renderSummary,
  SUMMARY_RENDER_VERSION,
  type SummaryWording,
  summaryWordingSchema,
} from "./summary/render-summary.ts";
export {
  type ArtifactReference,
  combineHandling,
  type Decision,
  emptySummary,
  type ErrorItem,
  type FileItem,
  handlingOf,
  isUnsettled,
  type ItemSpeaker,
  itemSpeakerSchema,
  type OpenItem,
  type PlaceItem,
  sourcedItems,
  type SourceTrust,
  sourceTrustSchema,
  STRUCTURED_SUMMARY_SCHEMA_VERSION,
  type StructuredSummary,
  structuredSummarySchema,
  SUMMARY_SECTIONS,
  type SummaryHandling,
  summaryHandlingSchema,
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
  summarySubject,
  withoutLiftedRules,
} from "./summary/summary-change.ts";
export {
  endOfNarrative,
  NARRATIVE_CUT,
  restrictSummary,
  type SummaryPart,
  shortenedNarrative,
  type TrimmedSummary,
  trimSummary,
} from "./summary/trim-summary.ts";
export {
  attributedSummary,
  isPersonal,
  type MessageLookup,
  ORIGINAL_TASK_ITEM,
  saysVerbatim,
  SpokenWords,
  unsourcedInPlan,
  type UnsourcedItem,
  unsourcedItems,
} from "./summary/said-by.ts";
export { headerOf, type MessageHeader } from "./budget/message-header.ts";
export {
  type MessageTokens,
  type ProviderAwareTokenizer,
  type TokenShares,
  tokenShares,
  tokenSharesInSteps,
} from "./budget/tokenizer.ts";
export {
  availableForMessages,
  type BudgetFigures,
  overheadTokens,
  type RequestOverhead,
  roomTokens,
  type TokenBudget,
  tokenBudget,
  utilization,
} from "./budget/token-budget.ts";
export { type AbsentMessages, type CountedRun, type DurabilityOf, TokenLedger } from "./budget/token-ledger.ts";
export {
  afterReported,
  type Calibration,
  handedOn,
  parseCalibration,
  requestTokens,
  scaledTokens,
  type TokenEstimate,
  unreported,
} from "./budget/token-estimate.ts";
export {
  compactionConfig,
  type ContextCompactionConfig,
  contextCompactionConfigSchema,
  type SummaryRole,
  summaryRoleSchema,
  type ToolDurabilityPolicy,
  toolDurabilityPolicySchema,
} from "./budget/compaction-config.ts";
export {
  firstOrdinal,
  type GroupedLedger,
  type GroupedThread,
  type GroupGap,
  groupLedger,
  groupLedgerInSteps,
  type UnansweredCall,
  unansweredIn,
  groupMessages,
  lastOrdinal,
  type MessageGroup,
  type PairingIssue,
  type ReadableList,
} from "./plan/message-group.ts";
export { OrdinalMap, type Stretch, type ThreadShape, threadShape } from "./plan/thread-shape.ts";
export {
  COMPACTION_PRECEDENCE,
  type CompactionAction,
  compactionActionSchema,
  type PlanRecord,
  type PlanRecords,
  previewOf,
  removesMessages,
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
  planRecords,
  requireIds,
  sealAs,
  sealPlan,
  serializePlan,
} from "./plan/compaction-plan.ts";
export { type HashedIds, hashedIdsIn, idsHashedApart, LONGEST_HASHED_SPAN, planHashText } from "./plan/plan-hash.ts";
export {
  type FoundTool,
  isDeferredTool,
  type RevealedTool,
  schemaDigestOf,
  type ToolName,
  toolKey,
  toolNameOf,
  toolsFoundIn,
} from "./plan/revealed-tools.ts";
export {
  abridgePlan,
  expandPlan,
  expandPlanInSteps,
  hiddenRuns,
  isAbridgedPlan,
  type MessagePlace,
  parseAbridgedPlan,
  spellOutPlan,
  type PlacedMessage,
  runsOfAbridged,
} from "./plan/abridged-plan.ts";
export {
  type Assignment,
  type Claim,
  compareClaims,
  type NormalizationChange,
  type NormalizationRule,
  strengthOf,
} from "./plan/normalization-rules.ts";
export {
  NORMALIZATION_RULES,
  type NormalizedRecords,
  normalizePlan,
  normalizePlanInSteps,
  nothingShownBetween,
  type PlacedRecord,
  splitRecord,
} from "./plan/normalize-plan.ts";
export {
  explainMessage,
  type Explanation,
  planChanges,
  type PlanDiff,
  planDiff,
  type Recovery,
} from "./plan/explain.ts";
export { foldedPins, type LacksPin, ThreadView, type ViewEntry, viewThread } from "./plan/thread-view.ts";
export type { BodyPreview, KeptEnds } from "./plan/kinds/record-kind.ts";
export {
  type ClearRecord,
  clearRecordSchema,
  type ClearTarget,
  clearTargetSchema,
  LARGE_INPUT_STRING,
} from "./plan/kinds/clear.ts";
export { type DropRecord, dropRecordSchema } from "./plan/kinds/drop.ts";
export { type ExternalizationRecord, externalizationRecordSchema } from "./plan/kinds/externalize.ts";
export { type SummarizationRecord, summarizationRecordSchema } from "./plan/kinds/summarize.ts";
export {
  type CompactionCause,
  type CompactionNotice,
  compactionNotice,
  type CompactionOutcome,
  type FoldedMessageCounts,
  type InstructionsEffect,
  type LegalityViolation,
  type NoticeFacts,
  type TokensBeforeAfter,
  WARN_AFTER_COMPACTIONS,
} from "./events/compaction-outcome.ts";
export {
  type CompactionEventListener,
  type ContextCompactionEvent,
  type FoldCost,
  tellListener,
} from "./events/context-compaction-event.ts";
export {
  type ArtifactsStoredRecord,
  type Checkpoint,
  checkpointNote,
  type CheckpointSignature,
  firstBrokenEntry,
  type FoldAttemptedRecord,
  type FoldVetoedRecord,
  JOURNAL_START,
  type JournalEntry,
  type JournalRecord,
  type LearnedOfModel,
  nextJournalEntry,
  type RecordedArtifact,
  type RequestRefusedRecord,
  type RequestRenderedRecord,
  type SummariesAskedRecord,
  type ThreadCopiedRecord,
  type ThreadErasedRecord,
} from "./audit/journal.ts";
export type {
  PrefixChange,
  PrefixChanger,
  RequestCacheRecord,
  RequestPrefix,
} from "./audit/request-cache-record.ts";
export type { Amount } from "./billing/amount.ts";
export {
  type BillTotals,
  type CacheBill,
  cacheBill,
  type FoldBill,
  type MissTotal,
  type SummaryBill,
} from "./billing/cache-bill.ts";
export {
  type CacheCadence,
  type CacheTimes,
  cacheTimeFor,
  type CadenceRequest,
  cadenceAfter,
  cadenceEpoch,
  cadenceOf,
  NO_CADENCE,
} from "./billing/cache-cadence.ts";
export type { KeepAliveAdvice } from "./billing/keep-alive.ts";
export type { InsteadBill } from "./billing/instead-bills.ts";
export { CacheLedger, cacheLedger, type CacheMiss, type LedgerCache, type LedgerCall } from "./billing/cache-ledger.ts";
export type { ChangeOfPrefix, MissCause } from "./billing/cache-misses.ts";
export { isCall, type LedgerOptions } from "./billing/recorded-call.ts";
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
} from "./audit/merkle-tree.ts";
export { needCandidates } from "./recall/need-candidates.ts";
export { type IndexedPassage, passagesOf, passageText, type RecallPassage } from "./recall/recall-passage.ts";
export {
  isBranchVisible,
  MAX_RECALL_LIMIT,
  type PassageIndex,
  readRecallRequest,
  recallCursor,
  type RecallHit,
  type RecallPage,
  type RecallRequest,
  type RecallSearch,
  requireBranch,
  type ScoredPage,
  type ScoredPassage,
  searchPassages,
} from "./recall/recall-search.ts";
export { recallTerms, unspacedWords } from "./recall/recall-terms.ts";
export { loadStemmers, type Stemmers } from "./recall/stemmers.ts";
export type { PlanVerification, PlanVerifier, TokenBreakdown } from "./ports/plan-verifier.ts";
export {
  lastTurnAfter,
  type ModelMeter,
  type Summarizer,
  type SummarizeRequest,
  type SummarizeResult,
  type SummaryCacheStore,
} from "./ports/summarizer.ts";
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
export type {
  AppendOptions,
  AppendResult,
  Artifact,
  ArtifactMetadata,
  ArtifactStore,
  AuditJournal,
  CommitResult,
  CompactionStore,
  ExpectedVersion,
  FoundMessage,
  Page,
  PlanInfo,
  ResumedThread,
  SecurityContext,
  ThreadfoldStore,
  ThreadInfo,
  ThreadRanges,
  ThreadStore,
} from "./ports/stores.ts";
export { isSealedText, type KeyStore, type KeyWrapper, SEALED_PREFIX, type SubjectKey } from "./ports/key-store.ts";
export type { Embed, RecallIndex, VectorEntry, VectorMatch, VectorStore } from "./ports/recall-index.ts";
export {
  type DeterminismProbe,
  type ProbeVerdict,
  probeVerdict,
  type ReplayableResult,
} from "./ports/determinism-probe.ts";
