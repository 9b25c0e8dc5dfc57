export { heuristicTokenizer, loadTokenizer, TOKENIZER_IDS } from "./load-tokenizer.ts";
export { characterClassTokenizer } from "./character-class-tokenizer.ts";
export { TIKTOKEN_ENCODINGS, type TiktokenEncoding, TiktokenTokenizer } from "./tiktoken-tokenizer.ts";
export {
  loadProviderTokenizer,
  OPENAI_OVERHEADS,
  PROVIDER_PROFILES,
  type ProviderFamily,
  type ProviderProfile,
} from "./provider-tokenizer.ts";
export { type KnownCount, knownCount } from "./known-counts.ts";
export type { TokenOverheads } from "./composed-tokenizer.ts";
