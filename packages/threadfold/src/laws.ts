// What you need to add a part of your own: the laws of each kind of part, their runner, and test data.

// Laws and their runner. A test is `keepLaws("mine", storeLaws(backend), { describe, it })`.
// Threads and plans: generators, and helpers to write them concisely.
export {
  agentThreads,
  assistant,
  type BrokenLaw,
  brokenLaws,
  type Content,
  call,
  countingTokenizer,
  forAll,
  hostileTexts,
  keepLaws,
  type Law,
  message,
  messageInputs,
  patience,
  pinEntry,
  pinLiftedEntry,
  pinnedClock,
  planRecordsFor,
  planRecordsOver,
  proseTexts,
  type RecallTrial,
  recallLaws,
  result,
  runs,
  samplePin,
  structuredSummaries,
  summaryChanges,
  system,
  type TestFramework,
  type ThreadOptions,
  type TranscriptOptions,
  type Trials,
  text,
  threadEntryInputs,
  threadOf,
  together,
  tool,
  user,
} from "@threadfold/core/laws";
export { damageLaws, type ImporterSample, importerLaws, jsonDocument, jsonLines } from "@threadfold/importers/laws";
export { formatLaws, planOf, renderInputs } from "@threadfold/renderer/laws";
export { type KeyBackend, keyStoreLaws, type StoreBackend, storeLaws } from "@threadfold/stores/laws";
export {
  type ScriptTokens,
  scriptMessages,
  scriptThread,
  shownIn,
  strategyContexts,
  strategyLaws,
} from "@threadfold/strategies/laws";
export {
  ATTACKS,
  type Attack,
  hostileModel,
  type SummaryTrial,
  summarizerLaws,
  summaryTrials,
} from "@threadfold/summarizers/laws";
export { chatRequests, tokenizerLaws } from "@threadfold/tokenizers/laws";
