export * from "./ask-model.ts";
export { currentSession } from "./current-session.ts";
export type { Divergence, DivergenceOptions, OnDiverged, ThreadSwitch } from "./divergence.ts";
export type { DoorOptions } from "./door-options.ts";
export * from "./session-turn.ts";
export * from "./thread-mirror.ts";
