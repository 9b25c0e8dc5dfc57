export type { ThreadfoldToolName } from "../mirror/recall-tools.ts";
export {
  type RunContext,
  type SessionPerThread,
  type SingleSession,
  ThreadfoldProcessor,
  type ThreadfoldProcessorOptions,
  type ThreadfoldTool,
  threadfoldTools,
} from "./threadfold-processor.ts";
