export type { ThreadfoldToolName } from "../mirror/recall-tools.ts";
export { type ContextSize, type SummarizationPolicy, summarizationPolicy } from "./summarization-policy.ts";
export {
  type SessionPerThread,
  type SingleSession,
  type ThreadfoldMiddlewareOptions,
  threadfoldMiddleware,
  threadfoldTools,
} from "./threadfold-middleware.ts";
