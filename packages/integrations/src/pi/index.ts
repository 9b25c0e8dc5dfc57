export * from "./extension.ts";
export * from "./session-before-compact.ts";
export * from "./threadfold-tools.ts";
