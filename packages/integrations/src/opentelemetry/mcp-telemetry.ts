import { metrics } from "@opentelemetry/api";
import packageJson from "../../package.json" with { type: "json" };
import type { ToolCallReport } from "../mcp/tool-failure.ts";
import { ERROR_TYPE, GEN_AI, MCP, OPERATION } from "./semantic-conventions.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** Meters the calls of an MCP server's tools. Hand the result to `threadServer` as `onCall`. */
export function mcpTelemetry(options: Pick<TelemetryOptions, "meterProvider"> = {}): (report: ToolCallReport) => void {
  const provider = options.meterProvider ?? metrics.getMeterProvider();
  const duration = provider
    .getMeter(packageJson.name, packageJson.version)
    .createHistogram(MCP.operationDuration, { unit: "s", description: "How long calls of the server's tools took." });
  return ({ tool, durationMilliseconds, problem }) =>
    duration.record(durationMilliseconds / 1_000, {
      [MCP.methodName]: MCP.callMethod,
      [GEN_AI.operationName]: OPERATION.executeTool,
      [GEN_AI.toolName]: tool,
      ...(problem !== null && { [ERROR_TYPE]: problem }),
    });
}
