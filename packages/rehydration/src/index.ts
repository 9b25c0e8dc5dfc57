export { READ_ARTIFACT_TOOL_NAME, SEARCH_THREAD_TOOL_NAME } from "@threadfold/core";
export {
  type PendingToolCall,
  type RehydrationConfig,
  RehydrationInterceptor,
  type RehydrationOutcome,
  type RehydrationRequest,
} from "./artifacts/rehydration-interceptor.ts";
export {
  isInCooldown,
  NO_REHYDRATIONS,
  pointersOf,
  type RehydrationResult,
  type RehydrationState,
  type RehydrationTrigger,
  TurnContext,
  withRehydrated,
} from "./artifacts/rehydration-state.ts";
export { type TextPage, textPage, type TruncatedText, truncateToTokens } from "./artifacts/text-page.ts";
export {
  artifactPageText,
  DEFAULT_PAGE,
  MAX_PAGE,
  READ_ARTIFACT_DEFINITION,
  type ReadArtifactResult,
  type ReadArtifactTool,
  readArtifactTool,
} from "./artifacts/read-artifact-tool.ts";
export { MemoryRecallIndex, MemoryVectorStore } from "./recall/memory-index.ts";
export { QUERY_MESSAGES, recallQuery } from "./recall/recall-query.ts";
export { recall, type RecallResult } from "./recall/recall-result.ts";
export {
  type DroppedSpanIndex,
  droppedSpanIndex,
  type NearSearch,
  type RecallAsk,
  type RecallSources,
  type VectorSearch,
  withheldMessages,
} from "./recall/recall-sources.ts";
export {
  DEFAULT_RECALL_TOKENS,
  recallTokens,
  SEARCH_THREAD_DEFINITION,
  type SearchThreadResult,
  type SearchThreadSources,
  type SearchThreadTool,
  searchThreadTool,
} from "./recall/search-thread-tool.ts";
export { namesInSteps, namesInText, quotedTexts } from "./recall/names.ts";
export {
  type FoundByWords,
  NEAR_SHARE,
  nearestEntries,
  type NearestText,
  vectorProblem,
} from "./recall/nearest-entries.ts";
export {
  DEFAULT_RETRIEVE_CONFIG,
  type RetrieveConfig,
  type RetrieveOutcome,
  type RetrieveRequest,
  RetrieveStrategy,
} from "./recall/retrieve-strategy.ts";
export {
  asksForContext,
  compactionQuality,
  compactionQualityInSteps,
  type CompactionQualityMetrics,
  qualityEvent,
} from "./compaction-quality.ts";
