export type { PromptFile, PromptPair } from "./model/prompt-pair.ts";
export { type EmbeddedPiece, embeddedPage, promptsPage, servedPage } from "./page/inspector-page.ts";
