export * from "./rehydration-config.ts";
export * from "./rehydration-result.ts";
export * from "./rehydration-state.ts";
export * from "./turn-context.ts";
export * from "./rehydration-interceptor.ts";
export * from "./read-artifact/read-artifact-definition.ts";
export * from "./read-artifact/read-artifact-tool.ts";
