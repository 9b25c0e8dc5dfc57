export * from "./context-session.ts";
export * from "./prepared-request.ts";
export * from "./replay-thread.ts";
export * from "./request-frame.ts";
export * from "./request-renderer.ts";
export * from "./session-options.ts";
export * from "./system-clock.ts";
export * from "./thread-state.ts";
