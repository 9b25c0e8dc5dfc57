export type { ShownInput } from "./shown-input.ts";
export * from "./thread-projection.ts";
export * from "./thread-session.ts";
export * from "./threadfold-tools.ts";
