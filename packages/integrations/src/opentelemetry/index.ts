export * from "./mcp-telemetry.ts";
export * from "./semantic-conventions.ts";
export * from "./session-telemetry.ts";
export * from "./telemetry-options.ts";
export type { ModelFacts } from "./traced-model.ts";
export type { FoldedContentTool, TracedTool } from "./traced-tool.ts";
