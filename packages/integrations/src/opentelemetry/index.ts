export { mcpTelemetry } from "./mcp-telemetry.ts";
export {
  type EmittedNames,
  ERROR_TYPE,
  GEN_AI,
  GEN_AI_CONTENT,
  GEN_AI_METRIC,
  GEN_AI_RENAMED,
  MCP,
  type MetricName,
  namesOf,
  OPERATION,
  type RenamedName,
  SEMANTIC_CONVENTIONS_VERSIONS,
  THREADFOLD,
  THREADFOLD_EVENT,
  THREADFOLD_METRIC,
} from "./semantic-conventions.ts";
export { type CacheStatistics, type SessionTelemetry, sessionTelemetry } from "./session-telemetry.ts";
export type { TelemetryOptions } from "./telemetry-options.ts";
export type { ModelFacts } from "./traced-model.ts";
export type { FoldedContentTool, TracedTool } from "./traced-tool.ts";
