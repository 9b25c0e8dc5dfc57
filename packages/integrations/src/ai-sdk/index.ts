export type { ThreadfoldToolName } from "../recall/recall-tools.ts";
export type { AiSdkSessionOptions } from "./ai-sdk-session.ts";
export { compactionMiddleware } from "./compaction-middleware.ts";
export { createOnEnd } from "./create-on-end.ts";
export { createPrepareStep, type PreparedStep, type PrepareStepOptions } from "./create-prepare-step.ts";
export { threadfoldTools } from "./threadfold-tools.ts";
