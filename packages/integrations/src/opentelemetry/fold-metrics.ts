import type { Counter, Histogram, Meter } from "@opentelemetry/api";
import type { CompactionCause, CompactionOutcome } from "@threadfold/core";
import { outcomeClass } from "./outcome-class.ts";
import { GEN_AI, type MetricName, OPERATION, THREADFOLD, THREADFOLD_METRIC } from "./semantic-conventions.ts";

/** How a fold ended, as far as metrics tell it. */
export interface FoldFigures {
  readonly cause: CompactionCause;
  readonly outcome: CompactionOutcome;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly durationMilliseconds: number;
}

/** Metrics of folds and of what comes back. Their attributes have a handful of values and name nobody. */
export class FoldMetrics {
  readonly #duration: Histogram;
  readonly #saved: Counter;
  readonly #conflicts: Counter;
  readonly #rehydrated: Counter;

  constructor(meter: Meter) {
    this.#duration = meter.createHistogram(THREADFOLD_METRIC.compactionDuration.name, {
      ...described(THREADFOLD_METRIC.compactionDuration),
      advice: { explicitBucketBoundaries: [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120] },
    });
    this.#saved = counter(meter, THREADFOLD_METRIC.tokensSaved);
    this.#conflicts = counter(meter, THREADFOLD_METRIC.commitConflicts);
    this.#rehydrated = counter(meter, THREADFOLD_METRIC.rehydrationTokens);
  }

  folded({ cause, outcome, tokensBefore, tokensAfter, durationMilliseconds }: FoldFigures): void {
    const attributes = {
      [GEN_AI.operationName]: OPERATION.compact,
      [THREADFOLD.trigger]: cause,
      [THREADFOLD.outcome]: outcomeClass(outcome),
    };
    this.#duration.record(durationMilliseconds / 1_000, attributes);
    const saved = tokensBefore - tokensAfter;
    if (outcomeClass(outcome) === "committed" && saved > 0) this.#saved.add(saved, { [THREADFOLD.trigger]: cause });
    if (outcome.type === "conflict") this.#conflicts.add(1, { [THREADFOLD.trigger]: cause });
  }

  rehydrated(tokens: number, operation: string): void {
    this.#rehydrated.add(tokens, { [GEN_AI.operationName]: operation });
  }
}

const described = ({ unit, description }: MetricName) => ({ unit, description });

const counter = (meter: Meter, metric: MetricName): Counter => meter.createCounter(metric.name, described(metric));
