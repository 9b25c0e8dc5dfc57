import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import type { Usage } from "@threadfold/core";
import { type EmittedNames, ERROR_TYPE, GEN_AI, GEN_AI_METRIC, namesOf, OPERATION } from "./semantic-conventions.ts";

/** What tells one model's figures from another's. */
export interface MeteredModel {
  readonly providerName: string;
  readonly requestModel: string;
}

/** Metrics of the conventions for calls of a model, under the names that a host wants. */
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
