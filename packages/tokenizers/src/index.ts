export { loadTokenizer, TOKENIZER_IDS } from "./load-tokenizer.ts";
export { heuristicTokenizer } from "./heuristic/heuristic-tokenizer.ts";
export { TIKTOKEN_ENCODINGS, type TiktokenEncoding, TiktokenTokenizer } from "./tiktoken/tiktoken-tokenizer.ts";
export {
  OPENAI_OVERHEADS,
  PROVIDER_PROFILES,
  type ProviderFamily,
  type ProviderProfile,
} from "./provider/provider-overheads.ts";
export { loadProviderTokenizer } from "./provider/provider-tokenizer.ts";
export {
  type Calibration,
  type LearnedFactor,
  learnedFactor,
  MAX_FACTOR,
  MAX_STEP,
  MIN_FACTOR,
  NO_CALIBRATION,
  observeUsage,
  parseCalibration,
  type UsageObservation,
} from "./calibration/calibration.ts";
export { calibratedTokenizer } from "./calibration/calibrated-tokenizer.ts";
export type { TokenOverheads } from "./counting/overheads.ts";
export { type TokenizerLaw, tokenizerLaws } from "./laws/tokenizer-laws.ts";
