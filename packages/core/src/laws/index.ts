export { countingTokenizer } from "./counting-tokenizer.ts";
export { cpuTimeMs } from "./cpu-time.ts";
export { growthOnQuadrupling } from "./growth.ts";
export { messageInputs, type TranscriptOptions } from "./message-arbitrary.ts";
export { type PinDraft, pinDrafts, pinFrom, pinsFor } from "./pin-arbitrary.ts";
export { pinnedClock } from "./pinned-clock.ts";
export { planRecordsFor, planRecordsOver, spansOf } from "./plan-record-arbitrary.ts";
export { type RecallLaw, recallLaws } from "./recall-laws.ts";
export { isThorough, patience, runs } from "./runs.ts";
export { pinEntry, pinLiftedEntry, sampleMessage, samplePin } from "./sample-entry.ts";
export { artifactIds, structuredSummaries, summaryAdditions, summaryChanges } from "./summary-arbitrary.ts";
export {
  hostileTexts,
  hugeTexts,
  jsonObjects,
  jsonValues,
  LOOK_ALIKES,
  proseTexts,
  unicodeTexts,
} from "./text-arbitrary.ts";
export { agentThreads, GENERATED_THREAD_ID, type ThreadOptions, threadEntryInputs } from "./thread-arbitrary.ts";
