export type { ThreadfoldToolName } from "../recall/recall-tools.ts";
export * from "./threadfold-processor.ts";
export * from "./threadfold-tools.ts";
