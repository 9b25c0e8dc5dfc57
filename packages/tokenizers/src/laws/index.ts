export { chatRequests, tokenizerLaws } from "./tokenizer-laws.ts";
