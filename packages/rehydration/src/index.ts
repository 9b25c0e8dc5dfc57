export type { RehydrationConfig } from "./rehydration-config.ts";
export type { RehydrationResult, RehydrationTrigger } from "./rehydration-result.ts";
export { isInCooldown, NO_REHYDRATIONS, type RehydrationState, withRehydrated } from "./rehydration-state.ts";
export { type TextPage, textPage } from "./text-page.ts";
export { type TruncatedText, truncateToTokens } from "./truncate-to-tokens.ts";
export { TurnContext } from "./turn-context.ts";
export {
  type PendingToolCall,
  RehydrationInterceptor,
  type RehydrationOutcome,
  type RehydrationRequest,
} from "./rehydration-interceptor.ts";
export {
  DEFAULT_PAGE,
  MAX_PAGE,
  READ_ARTIFACT_DEFINITION,
  READ_ARTIFACT_TOOL_NAME,
} from "./read-artifact/read-artifact-definition.ts";
export {
  type ReadArtifactResult,
  type ReadArtifactTool,
  readArtifactTool,
} from "./read-artifact/read-artifact-tool.ts";
export { MemoryRecallIndex } from "./recall/memory-recall-index.ts";
export { QUERY_MESSAGES, recallQuery } from "./recall/recall-query.ts";
export { recall, type RecallResult } from "./recall/recall-result.ts";
export type { NearSearch, RecallAsk, RecallScene, VectorSearch } from "./recall/recall-scene.ts";
export {
  DEFAULT_RECALL_TOKENS,
  recallTokens,
  SEARCH_THREAD_DEFINITION,
  SEARCH_THREAD_TOOL_NAME,
} from "./search-thread/search-thread-definition.ts";
export {
  type SearchThreadResult,
  type SearchThreadScene,
  type SearchThreadTool,
  searchThreadTool,
} from "./search-thread/search-thread-tool.ts";
export { type DroppedSpanIndex, droppedSpanIndex } from "./recall/dropped-span-index.ts";
export { MemoryVectorStore } from "./recall/memory-vector-store.ts";
export { namesInSteps, namesInText, quotedTexts } from "./recall/names-in-text.ts";
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
export { withheldMessages } from "./recall/withheld-messages.ts";
export { compactionQuality, type CompactionQualityMetrics, qualityEvent } from "./quality/compaction-quality.ts";
