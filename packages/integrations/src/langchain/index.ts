export type { OpenSession } from "./run-mirrors.ts";
export * from "./summarization-policy.ts";
export * from "./threadfold-middleware.ts";
