export type { ThreadfoldToolName } from "../recall/recall-tools.ts";
export * from "./summarization-policy.ts";
export {
  type SessionPerThread,
  type SingleSession,
  type ThreadfoldMiddlewareOptions,
  threadfoldMiddleware,
} from "./threadfold-middleware.ts";
export * from "./threadfold-tools.ts";
