export type { ThreadfoldToolName } from "../mirror/recall-tools.ts";
export type { AiSdkSessionOptions } from "./ai-sdk-session.ts";
export {
  type CompactionConfig,
  type CompactionEvent,
  type CompactionSelection,
  type CompactOptions,
  compact,
  DEFAULT_CONFIG,
  estimateMessagesTokens,
  estimateTokens,
  generateSummary,
  safeCompact,
  selectMessagesToCompact,
  shouldCompact,
} from "./compaction-layer.ts";
export { compactionMiddleware } from "./compaction-middleware.ts";
export {
  createOnEnd,
  createPrepareStep,
  type PreparedStep,
  type PrepareStepOptions,
  threadfoldTools,
} from "./prepare-step.ts";
