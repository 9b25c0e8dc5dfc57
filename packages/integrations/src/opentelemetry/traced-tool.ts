import { type Attributes, type Context, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { JsonValue, ToolDefinition, ToolOutcomeStatus } from "@threadfold/core";
import { ERROR_TYPE, GEN_AI, GEN_AI_CONTENT, OPERATION } from "./semantic-conventions.ts";

/** A tool that a session gives to a model, such as `read_artifact` and `search_thread`. */
export interface FoldedContentTool<
  Result extends { readonly outcome: ToolOutcomeStatus; readonly text: string; readonly problem: string | null },
> {
  readonly definition: ToolDefinition;
  execute(input: JsonValue): Promise<Result>;
}

/** A tool whose calls leave an `execute_tool` span each. */
export interface TracedTool<Result> {
  readonly definition: ToolDefinition;
  /** @param callId the id that the model gave the call. */
  execute(input: JsonValue, callId?: string): Promise<Result>;
}

/** What spans of tools are made with. */
export interface TracedToolParts {
  readonly tracer: Tracer;
  readonly captureContent: boolean;
  readonly parent: () => Context;
}

/** Wraps a tool. It answers as the tool does, and fails as it does. */
export function tracedTool<
  Result extends { readonly outcome: ToolOutcomeStatus; readonly text: string; readonly problem: string | null },
>(tool: FoldedContentTool<Result>, { tracer, captureContent, parent }: TracedToolParts): TracedTool<Result> {
  const { name } = tool.definition;
  return {
    definition: tool.definition,
    execute: async (input, callId) => {
      const attributes: Attributes = {
        [GEN_AI.operationName]: OPERATION.executeTool,
        [GEN_AI.toolName]: name,
        [GEN_AI.toolType]: "function",
        ...(callId !== undefined && { [GEN_AI.toolCallId]: callId }),
        ...(captureContent && argumentAttributes(input)),
      };
      const span = tracer.startSpan(
        `${OPERATION.executeTool} ${name}`,
        { kind: SpanKind.INTERNAL, attributes },
        parent(),
      );
      try {
        const result = await tool.execute(input);
        if (result.problem !== null) span.setAttribute(ERROR_TYPE, result.problem);
        if (captureContent) span.setAttribute(GEN_AI_CONTENT.toolCallResult, result.text);
        return result;
      } catch (error) {
        span.setAttribute(ERROR_TYPE, "_OTHER");
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function argumentAttributes(input: JsonValue): Attributes {
  const query = typeof input === "object" && input !== null && "query" in input ? input.query : undefined;
  return {
    [GEN_AI_CONTENT.toolCallArguments]: JSON.stringify(input),
    ...(typeof query === "string" && { [GEN_AI_CONTENT.retrievalQuery]: query }),
  };
}
