import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import {
  type Clock,
  type CompletionModel,
  type CompletionRequest,
  type CompletionResult,
  modelCallFailure,
  type Usage,
} from "@threadfold/core";
import type { ModelMetrics } from "./model-metrics.ts";
import {
  type EmittedNames,
  ERROR_TYPE,
  GEN_AI,
  GEN_AI_CONTENT,
  GEN_AI_RENAMED,
  namesOf,
  OPERATION,
} from "./semantic-conventions.ts";

/** What is known of a model beside its id. */
export interface ModelFacts {
  /** As the conventions name providers: `anthropic`, `openai`, `gcp.gemini`. */
  readonly providerName: string;
  /** Name of the model as requests carry it. */
  readonly requestModel: string;
  /** Name and version of the prompt that the summarizer works with. */
  readonly promptName?: string;
  readonly promptVersion?: string;
}

/** What spans of calls are made with. */
export interface TracedModelParts {
  readonly tracer: Tracer;
  readonly metrics: ModelMetrics;
  readonly emit: EmittedNames;
  readonly captureContent: boolean;
  readonly clock: Clock;
  /** The context that a call belongs below. */
  readonly parent: () => Context;
}

/** A model whose calls leave a `chat` span each. It answers as the model does, and fails as it does. */
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

/** The message of a foreign error may quote what was sent, so only its kind is written down. */
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

/** Usage of a call. Input tokens include those that a cache was read or written for, as the conventions have it. */
export function usageAttributes(usage: Usage, emit: EmittedNames): Attributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const attributes: Attributes = { [GEN_AI.inputTokens]: inputTokens, [GEN_AI.outputTokens]: outputTokens };
  if (cacheReadTokens !== undefined) attributes[GEN_AI.cacheReadTokens] = cacheReadTokens;
  if (reasoningTokens !== undefined) attributes[GEN_AI.reasoningTokens] = reasoningTokens;
  if (cacheWriteTokens !== undefined) {
    for (const name of namesOf(GEN_AI_RENAMED.cacheWriteTokens, emit)) attributes[name] = cacheWriteTokens;
  }
  return attributes;
}
