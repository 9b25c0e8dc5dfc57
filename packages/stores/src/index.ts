export * from "./open-store.ts";
export * from "./store-options.ts";
export * from "./system-clock.ts";
export * from "./memory/memory-store.ts";
export * from "./sqlite/sqlite-store.ts";
export * from "./inspection/stored-rows.ts";
export * from "./inspection/verify-store.ts";
export * from "./inspection/export-thread.ts";
