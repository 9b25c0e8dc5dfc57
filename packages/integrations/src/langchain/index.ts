export type { ThreadfoldToolName } from "../recall/recall-tools.ts";
export { type ContextSize, type SummarizationPolicy, summarizationPolicy } from "./summarization-policy.ts";
export {
  type SessionPerThread,
  type SingleSession,
  type ThreadfoldMiddlewareOptions,
  threadfoldMiddleware,
} from "./threadfold-middleware.ts";
export { threadfoldTools } from "./threadfold-tools.ts";
