export { forAll, type Trials } from "./for-all.ts";
export { type BrokenLaw, brokenLaws, keepLaws, type Law, type TestFramework, together } from "./law.ts";
export { messageInputs, type TranscriptOptions } from "./message-arbitrary.ts";
export { assistant, type Content, call, message, result, system, text, threadOf, tool, user } from "./messages.ts";
export {
  artifactIds,
  planRecordsFor,
  planRecordsOver,
  spansOf,
  structuredSummaries,
  summaryAdditions,
  summaryChanges,
  withoutOverlaps,
} from "./plan-record-arbitrary.ts";
export { type RecallTrial, recallLaws } from "./recall-laws.ts";
export { cpuTimeMs, growthOnQuadrupling, isThorough, patience, runs } from "./runs.ts";
export { countingTokenizer, pinEntry, pinLiftedEntry, pinnedClock, sampleMessage, samplePin } from "./samples.ts";
export {
  hostileTexts,
  hugeTexts,
  jsonObjects,
  jsonValues,
  LOOK_ALIKES,
  proseTexts,
  unicodeTexts,
} from "./text-arbitrary.ts";
export {
  agentThreads,
  GENERATED_THREAD_ID,
  type PinDraft,
  pinDrafts,
  pinFrom,
  pinsFor,
  type ThreadOptions,
  threadEntryInputs,
} from "./thread-arbitrary.ts";
