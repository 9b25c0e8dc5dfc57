export { chatRequests } from "./chat-request-arbitrary.ts";
export { tokenizerLaws } from "./tokenizer-laws.ts";
