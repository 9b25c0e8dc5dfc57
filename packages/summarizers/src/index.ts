export { EXTRACTIVE_SUMMARIZER_ID, ExtractiveSummarizer } from "./extractive/extractive-summarizer.ts";
export { LLMSummarizer } from "./llm/llm-summarizer.ts";
export { type LLMSettings, llmSettings, type LLMSummarizerOptions } from "./llm/llm-summarizer-options.ts";
export { rejection, type RejectionReason, rejectionReason } from "./llm/summarizer-rejection.ts";
export { type CallLimits, callModel } from "./llm/call/call-model.ts";
export {
  ANSWER_FORMAT_VERSION,
  type PromptVariant,
  promptVersionOf,
  PROSE_FRAME_VERSION,
  type ProseTitles,
} from "./llm/prompts/prompt-variant.ts";
export { threadfoldPrompt } from "./llm/prompts/threadfold-prompt.ts";
export { codexPrompt } from "./llm/prompts/codex-prompt.ts";
export { opencodePrompt } from "./llm/prompts/opencode-prompt.ts";
export { claudeCodePrompt } from "./llm/prompts/claude-code-prompt.ts";
export { piPrompt } from "./llm/prompts/pi-prompt.ts";
export { handoffPrompt } from "./llm/prompts/handoff-prompt.ts";
export { aiSdkPrompt } from "./llm/prompts/ai-sdk-prompt.ts";
export { PROSE_SYSTEM, prosePrompt } from "./llm/prompts/prose-prompt.ts";
export { springSessionPrompt } from "./llm/prompts/spring-session-prompt.ts";
export { PROMPTS } from "./llm/prompts/prompts.ts";
export { promptByVersion, promptNameOf } from "./llm/prompts/prompt-by-version.ts";
export { modelSummarizer, type ModelSummarizerOptions, type SummaryModelSettings } from "./model-summarizer.ts";
export { fallbackSummarizer } from "./fallback-summarizer.ts";
export type { SummaryCheck, SummaryProposal } from "./checks/summary-check.ts";
export { checkedSummarizer, DEFAULT_CHECKS } from "./checks/checked-summarizer.ts";
export { notBlank } from "./checks/not-blank.ts";
export { smallerThanInput } from "./checks/smaller-than-input.ts";
export { keyFieldsPresent } from "./checks/key-fields-present.ts";
export { pinsPresent } from "./checks/pins-present.ts";
export { rulesKept } from "./checks/rules-kept.ts";
export { sourcesKnown } from "./checks/sources-known.ts";
export { identifiersExact } from "./checks/identifiers-exact.ts";
export { secondOpinion, type SecondOpinionOptions } from "./checks/second-opinion.ts";
export { type SummarizerLaw, summarizerLaws } from "./laws/summarizer-laws.ts";
export { type Attack, ATTACKS, hostileModel } from "./laws/hostile-model.ts";
export {
  type CachedSummarizer,
  cachedSummarizer,
  type SummaryCacheOptions,
  type SummaryCacheStatistics,
} from "./cache/cached-summarizer.ts";
export { SUMMARY_CACHE_VERSION, summaryCacheKey, type SummaryCacheScope } from "./cache/summary-cache-key.ts";
export type { SummaryCacheStore } from "./cache/summary-cache-store.ts";
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
