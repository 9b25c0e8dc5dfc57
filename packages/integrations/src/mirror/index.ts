export * from "./ask-model.ts";
export type { Divergence, OnDiverged } from "./divergence.ts";
export * from "./session-turn.ts";
export * from "./thread-mirror.ts";
