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
export {
  type CacheStatistics,
  mcpTelemetry,
  type SessionTelemetry,
  sessionTelemetry,
  type TelemetryOptions,
} from "./telemetry.ts";
export type { FoldedContentTool, ModelFacts, TracedTool } from "./traced-calls.ts";
