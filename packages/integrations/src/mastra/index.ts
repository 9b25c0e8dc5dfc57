export * from "./threadfold-processor.ts";
