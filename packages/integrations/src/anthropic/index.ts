export * from "./anthropic-turn.ts";
export * from "./from-anthropic.ts";
export * from "./threadfold-tools.ts";
export * from "./to-anthropic-request.ts";
