export type { ThreadfoldToolName } from "../recall/recall-tools.ts";
export type { AiSdkSessionOptions } from "./ai-sdk-session.ts";
export * from "./compaction-middleware.ts";
export * from "./create-on-end.ts";
export * from "./create-prepare-step.ts";
export * from "./threadfold-tools.ts";
