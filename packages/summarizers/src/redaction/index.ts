export * from "./redact-json.ts";
export * from "./redact-secrets.ts";
export * from "./redacting-summarizer.ts";
