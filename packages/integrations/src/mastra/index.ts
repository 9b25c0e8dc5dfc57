export type { ThreadfoldToolName } from "../recall/recall-tools.ts";
export {
  type RunContext,
  type SessionPerThread,
  type SingleSession,
  ThreadfoldProcessor,
  type ThreadfoldProcessorOptions,
} from "./threadfold-processor.ts";
export { type ThreadfoldTool, threadfoldTools } from "./threadfold-tools.ts";
