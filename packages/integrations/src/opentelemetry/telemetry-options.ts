import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import type { Clock } from "@threadfold/core";
import type { EmittedNames } from "./semantic-conventions.ts";

/** What telemetry is written with. Every field has a default. */
export interface TelemetryOptions {
  /** The globally registered one by default. */
  readonly tracerProvider?: TracerProvider;
  /** The globally registered one by default. */
  readonly meterProvider?: MeterProvider;
  /** Which names are written where the conventions changed them. `stable-2026` by default. */
  readonly emit?: EmittedNames;
  /** Writes what was said into spans: summarizer prompts and answers, tool arguments and results, queries. Off by default. */
  readonly captureContent?: boolean;
  /** Makes a span of checks that folded nothing too, which is most of them. Off by default. */
  readonly spansOfChecks?: boolean;
  /** Says what time it is. The machine's clock by default. */
  readonly clock?: Clock;
}
