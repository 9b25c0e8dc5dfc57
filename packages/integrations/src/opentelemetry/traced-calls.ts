import {
  type Attributes,
  type Context,
  type Counter,
  type Histogram,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";
import {
  type Clock,
  type CompletionModel,
  type CompletionRequest,
  type CompletionResult,
  type JsonValue,
  modelCallFailure,
  type ToolDefinition,
  type ToolOutcomeStatus,
  type Usage,
} from "@threadfold/core";
import {
  type EmittedNames,
  ERROR_TYPE,
  GEN_AI,
  GEN_AI_CONTENT,
  GEN_AI_METRIC,
  GEN_AI_RENAMED,
  namesOf,
  OPERATION,
} from "./semantic-conventions.ts";

/** Facts about a model that its id does not tell. */
export interface ModelFacts {
  /** The provider's name in the conventions: `anthropic`, `openai`, `gcp.gemini`. */
  readonly providerName: string;
  /** The model's name as sent in requests. */
  readonly requestModel: string;
  /** Name and version of the prompt that the summarizer uses. */
  readonly promptName?: string;
  readonly promptVersion?: string;
}

/** Dependencies for tracing model calls. */
interface TracedModelParts {
  readonly tracer: Tracer;
  readonly metrics: ModelMetrics;
  readonly emit: EmittedNames;
  readonly captureContent: boolean;
  readonly clock: Clock;
  /** Returns the parent context of a call. */
  readonly parent: () => Context;
}

/** Wraps a model so that each call becomes a `chat` span. Answers and errors are passed on unchanged. */
export function tracedModel(model: CompletionModel, facts: ModelFacts, parts: TracedModelParts): CompletionModel {
  const { tracer, metrics, clock } = parts;
  return {
    id: model.id,
    complete: async (request) => {
      const begun = clock.now();
      const name = `${OPERATION.chat} ${facts.requestModel}`;
      const options = { kind: SpanKind.CLIENT, attributes: requestAttributes(request, facts, parts), startTime: begun };
      const span = tracer.startSpan(name, options, parts.parent());
      try {
        const result = await model.complete(request);
        span.setAttributes(resultAttributes(result, parts));
        metrics.answered(facts, (clock.now() - begun) / 1_000, result.usage);
        return result;
      } catch (error) {
        const errorType = modelCallFailure(error)?.kind ?? "_OTHER";
        fail(span, errorType);
        metrics.failed(facts, (clock.now() - begun) / 1_000, errorType);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** An error from outside may quote what was sent, so only its kind is recorded. */
function fail(span: Span, errorType: string): void {
  span.setAttribute(ERROR_TYPE, errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function requestAttributes(
  { system, messages, maxOutputTokens }: CompletionRequest,
  { providerName, requestModel, promptName, promptVersion }: ModelFacts,
  { captureContent }: TracedModelParts,
): Attributes {
  const said = [{ role: "system", text: system }, ...messages];
  return {
    [GEN_AI.operationName]: OPERATION.chat,
    [GEN_AI.providerName]: providerName,
    [GEN_AI.requestModel]: requestModel,
    [GEN_AI.requestMaxTokens]: maxOutputTokens,
    ...(promptName !== undefined && { [GEN_AI.promptName]: promptName }),
    ...(promptVersion !== undefined && { [GEN_AI.promptVersion]: promptVersion }),
    ...(captureContent && {
      [GEN_AI_CONTENT.inputMessages]: JSON.stringify(said.map(({ role, text }) => textMessage(role, text))),
    }),
  };
}

function resultAttributes(
  { text, finish, usage }: CompletionResult,
  { emit, captureContent }: TracedModelParts,
): Attributes {
  return {
    [GEN_AI.responseFinishReasons]: [finish],
    ...(usage !== undefined && usageAttributes(usage, emit)),
    ...(captureContent && {
      [GEN_AI_CONTENT.outputMessages]: JSON.stringify([{ ...textMessage("assistant", text), finish_reason: finish }]),
    }),
  };
}

const textMessage = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });

/**
 * Attributes for a call's usage. Input tokens include cached reads and cache writes, as the conventions define them.
 */
function usageAttributes(usage: Usage, emit: EmittedNames): Attributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const attributes: Attributes = { [GEN_AI.inputTokens]: inputTokens, [GEN_AI.outputTokens]: outputTokens };
  if (cacheReadTokens !== undefined) attributes[GEN_AI.cacheReadTokens] = cacheReadTokens;
  if (reasoningTokens !== undefined) attributes[GEN_AI.reasoningTokens] = reasoningTokens;
  if (cacheWriteTokens !== undefined) {
    for (const name of namesOf(GEN_AI_RENAMED.cacheWriteTokens, emit)) attributes[name] = cacheWriteTokens;
  }
  return attributes;
}

/** The model that metrics are attributed to. */
interface MeteredModel {
  readonly providerName: string;
  readonly requestModel: string;
}

/** Metrics of the conventions for model calls, under the names that the host chose. */
export class ModelMetrics {
  readonly #durations: readonly Histogram[];
  readonly #input: Counter | null;
  readonly #output: Counter | null;
  readonly #legacyTokens: Histogram | null;

  constructor(meter: Meter, emit: EmittedNames) {
    this.#durations = namesOf(GEN_AI_METRIC.duration, emit).map((name) =>
      meter.createHistogram(name, { unit: "s", description: "How long calls of a model took." }),
    );
    const stable = emit !== "legacy";
    this.#input = stable ? meter.createCounter(GEN_AI_METRIC.inputTokens, { unit: "{token}" }) : null;
    this.#output = stable ? meter.createCounter(GEN_AI_METRIC.outputTokens, { unit: "{token}" }) : null;
    this.#legacyTokens =
      emit === "stable-2026" ? null : meter.createHistogram(GEN_AI_METRIC.legacyTokenUsage, { unit: "{token}" });
  }

  answered(model: MeteredModel, seconds: number, usage: Usage | undefined): void {
    const attributes = attributesOf(model);
    for (const duration of this.#durations) duration.record(seconds, attributes);
    if (usage === undefined) return;
    this.#input?.add(usage.inputTokens, attributes);
    this.#output?.add(usage.outputTokens, attributes);
    this.#legacyTokens?.record(usage.inputTokens, { ...attributes, [GEN_AI.tokenType]: "input" });
    this.#legacyTokens?.record(usage.outputTokens, { ...attributes, [GEN_AI.tokenType]: "output" });
  }

  failed(model: MeteredModel, seconds: number, errorType: string): void {
    const attributes = { ...attributesOf(model), [ERROR_TYPE]: errorType };
    for (const duration of this.#durations) duration.record(seconds, attributes);
  }
}

const attributesOf = ({ providerName, requestModel }: MeteredModel): Attributes => ({
  [GEN_AI.operationName]: OPERATION.chat,
  [GEN_AI.providerName]: providerName,
  [GEN_AI.requestModel]: requestModel,
});

/** A tool that a session gives to a model, such as `read_artifact` or `search_thread`. */
export interface FoldedContentTool<
  Result extends { readonly outcome: ToolOutcomeStatus; readonly text: string; readonly problem: string | null },
> {
  readonly definition: ToolDefinition;
  execute(input: JsonValue): Promise<Result>;
}

/** A tool each of whose calls becomes an `execute_tool` span. */
export interface TracedTool<Result> {
  readonly definition: ToolDefinition;
  /** @param callId the id that the model gave the call. */
  execute(input: JsonValue, callId?: string): Promise<Result>;
}

/** Dependencies for tracing tool calls. */
interface TracedToolParts {
  readonly tracer: Tracer;
  readonly captureContent: boolean;
  readonly parent: () => Context;
}

/** Wraps a tool. Results and errors are passed on unchanged. */
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
