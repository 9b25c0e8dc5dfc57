export * from "./extractive/extractive-summarizer.ts";
export * from "./laws/summarizer-laws.ts";
export * from "./cache/cached-summarizer.ts";
export * from "./cache/summary-cache-key.ts";
export * from "./cache/summary-cache-store.ts";
