export { EXTRACTIVE_SUMMARIZER_ID, ExtractiveSummarizer } from "./extractive/extractive-summarizer.ts";
export { LLMSummarizer } from "./llm/llm-summarizer.ts";
export { type LLMSettings, llmSettings, type LLMSummarizerOptions } from "./llm/llm-summarizer-options.ts";
export { rejection, type RejectionReason, rejectionReason } from "./llm/answer/rejection.ts";
export { type CallLimits, callModel } from "./llm/call/call-model.ts";
export {
  aiSdkPrompt,
  ANSWER_FORMAT_VERSION,
  claudeCodePrompt,
  codexPrompt,
  handoffPrompt,
  opencodePrompt,
  piPrompt,
  promptByVersion,
  promptNameOf,
  PROMPTS,
  type PromptVariant,
  promptVersionOf,
  PROSE_FRAME_VERSION,
  PROSE_SYSTEM,
  prosePrompt,
  type ProseTitles,
  springSessionPrompt,
  threadfoldPrompt,
} from "./llm/prompts/prompts.ts";
export {
  fallbackSummarizer,
  modelSummarizer,
  type ModelSummarizerOptions,
  type SummaryModelSettings,
} from "./model-summarizer.ts";
export {
  checkedSummarizer,
  DEFAULT_CHECKS,
  identifiersExact,
  keyFieldsPresent,
  notBlank,
  pinsPresent,
  rulesKept,
  type SecondOpinionOptions,
  secondOpinion,
  smallerThanInput,
  sourcesKnown,
  type SummaryCheck,
  type SummaryProposal,
} from "./checks/summary-checks.ts";
export {
  type CachedSummarizer,
  cachedSummarizer,
  type SummaryCacheOptions,
  type SummaryCacheStatistics,
} from "./cache/cached-summarizer.ts";
export { SUMMARY_CACHE_VERSION, summaryCacheKey, type SummaryCacheScope } from "./cache/summary-cache-key.ts";
export type { SummaryCacheStore } from "@threadfold/core";
export { redactJson } from "./redaction/redact-json.ts";
export {
  type Redaction,
  REDACTION_VERSION,
  redactionMarker,
  redactSecrets,
  type SecretStretch,
  secretStretches,
} from "./redaction/redact-secrets.ts";
export { redactingSummarizer } from "./redaction/redacting-summarizer.ts";
