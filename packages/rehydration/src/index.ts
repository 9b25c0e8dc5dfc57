export { READ_ARTIFACT_TOOL_NAME, SEARCH_THREAD_TOOL_NAME } from "@threadfold/core";
export type { RehydrationConfig } from "./artifacts/rehydration-interceptor.ts";
export type { RehydrationResult, RehydrationTrigger } from "./artifacts/rehydration-state.ts";
export { isInCooldown, NO_REHYDRATIONS, type RehydrationState, withRehydrated } from "./artifacts/rehydration-state.ts";
export { type TextPage, textPage } from "./artifacts/text-page.ts";
export { type TruncatedText, truncateToTokens } from "./artifacts/text-page.ts";
export { TurnContext } from "./artifacts/rehydration-state.ts";
export {
  type PendingToolCall,
  RehydrationInterceptor,
  type RehydrationOutcome,
  type RehydrationRequest,
} from "./artifacts/rehydration-interceptor.ts";
export {
  artifactPageText,
  DEFAULT_PAGE,
  MAX_PAGE,
  READ_ARTIFACT_DEFINITION,
} from "./artifacts/read-artifact-tool.ts";
export {
  type ReadArtifactResult,
  type ReadArtifactTool,
  readArtifactTool,
} from "./artifacts/read-artifact-tool.ts";
export { MemoryRecallIndex } from "./recall/memory-index.ts";
export { QUERY_MESSAGES, recallQuery } from "./recall/recall-query.ts";
export { recall, type RecallResult } from "./recall/recall-result.ts";
export type { NearSearch, RecallAsk, RecallSources, VectorSearch } from "./recall/recall-sources.ts";
export {
  DEFAULT_RECALL_TOKENS,
  recallTokens,
  SEARCH_THREAD_DEFINITION,
} from "./recall/search-thread-tool.ts";
export {
  type SearchThreadResult,
  type SearchThreadSources,
  type SearchThreadTool,
  searchThreadTool,
} from "./recall/search-thread-tool.ts";
export { type DroppedSpanIndex, droppedSpanIndex } from "./recall/recall-sources.ts";
export { MemoryVectorStore } from "./recall/memory-index.ts";
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
export { withheldMessages } from "./recall/recall-sources.ts";
export {
  asksForContext,
  compactionQuality,
  compactionQualityInSteps,
  type CompactionQualityMetrics,
  qualityEvent,
} from "./compaction-quality.ts";
export { pointersOf } from "./artifacts/rehydration-state.ts";
