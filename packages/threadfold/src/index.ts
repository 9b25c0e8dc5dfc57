// What a host needs, selected by hand. Everything else is in its own package: `@threadfold/core` for messages, plans
// and ports, `@threadfold/strategies` for custom policies, `@threadfold/renderer` for formats, and so on.

// One conversation in an agent loop.
export {
  assistantMessage,
  type BackgroundFold,
  type CompactOptions,
  type CompletedResponse,
  ContextSession,
  type FailedCall,
  type Handoff,
  type HandoffOptions,
  type ModelResponse,
  type OpenOptions,
  type PlanPreview,
  type PreparedRequest,
  type PrepareOptions,
  type ReplayedRequest,
  type RequestReference,
  type SessionHooks,
  type SessionOptions,
  type SessionStats,
  startCompactionWorker,
  systemClock,
  text,
  toolMessage,
  type UsageReport,
  userMessage,
} from "@threadfold/session";
// Messages, plans, fold outcomes, and the ports that a host may implement.
export {
  AgentThread,
  type ArtifactStore,
  asMessageId,
  asThreadId,
  asToolCallId,
  type Authority,
  BudgetInfeasibleError,
  type Calibration,
  type Clock,
  type CompactionOutcome,
  type CompactionPlan,
  type CompletionModel,
  type ContextCompactionConfig,
  type ContextCompactionEvent,
  type ErrorCode,
  type Explanation,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageId,
  type MessageInput,
  type Part,
  type ProviderAwareTokenizer,
  type RecallPage,
  type Role,
  type SecurityContext,
  type StructuredSummary,
  type Summarizer,
  type ThreadfoldStore,
  type ThreadId,
  type ThreadRules,
  ThreadfoldError,
  type ToolDefinition,
  type ToolResultEnvelope,
  toolResultText,
  visibleText,
} from "@threadfold/core";
// Policies: when and what to fold.
export {
  declareTool,
  type CompactionPreset,
  type CompactionStrategy,
  type CompactionTrigger,
  ladderPreset,
  PRESETS,
  presetByName,
  threadfoldPreset,
} from "@threadfold/strategies";
// Request formats of providers.
export { FORMAT_NAMES, type FormatId, formatById, type ProviderFormat } from "@threadfold/renderer";
// Where threads are kept.
export { createMemoryStore, eraseSubject, fileKeyStore, openStore, verifyStore } from "@threadfold/stores";
// Token counters.
export { heuristicTokenizer, loadTokenizer, TOKENIZER_IDS } from "@threadfold/tokenizers";
// Summarizers, with or without a model.
export { ExtractiveSummarizer, modelSummarizer, redactSecrets } from "@threadfold/summarizers";
// Sessions recorded by other tools.
export { exportSession, type ImportedSession, importSession, importSessionFile } from "@threadfold/importers/sessions";
