import { type Attributes, context, metrics, type Span, SpanKind, type Tracer, trace } from "@opentelemetry/api";
import {
  type CompactionEventListener,
  type CompletionModel,
  type ContextCompactionEvent,
  planRecords,
  type ToolOutcomeStatus,
} from "@threadfold/core";
import { type PreparedRequest, systemClock } from "@threadfold/session";
import packageJson from "../../package.json" with { type: "json" };
import { FoldMetrics } from "./fold-metrics.ts";
import { FoldSpans } from "./fold-spans.ts";
import { ModelMetrics } from "./model-metrics.ts";
import { ERROR_TYPE, GEN_AI, OPERATION, THREADFOLD, THREADFOLD_METRIC } from "./semantic-conventions.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";
import { type ModelFacts, tracedModel } from "./traced-model.ts";
import { type FoldedContentTool, type TracedTool, tracedTool } from "./traced-tool.ts";

/** What telemetry gives to a session and to its host. */
export interface SessionTelemetry {
  /** Hand it to the session as `onEvent`. */
  readonly onEvent: CompactionEventListener;
  /** Wraps the summarizer's model, so that its calls are spans below the fold that they serve. */
  readonly model: (model: CompletionModel, facts: ModelFacts) => CompletionModel;
  /** Wraps a tool of the session, so that its calls are spans. */
  readonly tool: <
    Result extends { readonly outcome: ToolOutcomeStatus; readonly text: string; readonly problem: string | null },
  >(
    tool: FoldedContentTool<Result>,
  ) => TracedTool<Result>;
  /** Says on the host's own span of a model call that what it sends was compacted. Says nothing when it was not. */
  readonly markCompacted: (span: Span, request: Pick<PreparedRequest, "plan">) => void;
  /** Counts how often summaries were found in a cache. @returns what ends the counting. */
  readonly observeCache: (statistics: () => CacheStatistics) => () => void;
}

/** How often a cache had what was looked for, since it was made. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
}

/**
 * Makes spans and metrics of what one session does, with `@opentelemetry/api` alone. Without registered providers it does
 * nothing. Metrics name no thread and no tenant; content is written only with `captureContent`. Make one for each
 * session, for calls of a summarizer are put below the newest fold that is under way.
 */
export function sessionTelemetry(options: TelemetryOptions = {}): SessionTelemetry {
  const { emit = "stable-2026", captureContent = false, spansOfChecks = false, clock = systemClock } = options;
  const tracer = (options.tracerProvider ?? trace.getTracerProvider()).getTracer(packageJson.name, packageJson.version);
  const meter = (options.meterProvider ?? metrics.getMeterProvider()).getMeter(packageJson.name, packageJson.version);
  const spans = new FoldSpans(tracer, spansOfChecks);
  const folds = new FoldMetrics(meter);
  const models = new ModelMetrics(meter, emit);
  const parent = () => spans.current ?? context.active();
  return {
    onEvent: (event) => hear(event, { spans, folds, tracer, now: () => clock.now() }),
    model: (model, facts) =>
      tracedModel(model, facts, { tracer, metrics: models, emit, captureContent, clock, parent }),
    tool: (tool) => tracedTool(tool, { tracer, captureContent, parent: () => context.active() }),
    markCompacted: (span, { plan }) => {
      if (planRecords(plan).length > 0) span.setAttribute(GEN_AI.conversationCompacted, true);
    },
    observeCache: (statistics) => {
      const { name, unit, description } = THREADFOLD_METRIC.cacheLookups;
      const lookups = meter.createObservableCounter(name, { unit, description });
      const observe: Parameters<typeof lookups.addCallback>[0] = (result) => {
        const { hits, misses } = statistics();
        result.observe(hits, { [THREADFOLD.cacheHit]: true });
        result.observe(misses, { [THREADFOLD.cacheHit]: false });
      };
      lookups.addCallback(observe);
      return () => lookups.removeCallback(observe);
    },
  };
}

interface Ears {
  readonly spans: FoldSpans;
  readonly folds: FoldMetrics;
  readonly tracer: Tracer;
  readonly now: () => number;
}

function hear(event: ContextCompactionEvent, { spans, folds, tracer, now }: Ears): void {
  switch (event.type) {
    case "compaction_check_started":
      return spans.start(event, context.active(), now());
    case "compaction_proposal_generated":
      return spans.propose(event);
    case "compaction_externalized":
    case "compaction_summarized":
    case "compaction_cleared":
    case "compaction_dropped":
      return spans.record(event);
    case "compaction_boundary":
      return spans.notice(event.foldId, event.notice);
    case "compaction_completed":
      spans.complete(event);
      return folds.folded(event);
    case "compaction_rehydrated":
      folds.rehydrated(event.tokens, OPERATION.retrieval);
      return moment(tracer, OPERATION.retrieval, event, {
        [THREADFOLD.artifactId]: event.artifactId,
        [THREADFOLD.rehydrationTokens]: event.tokens,
      });
    case "compaction_recalled":
      folds.rehydrated(event.tokens, OPERATION.searchMemory);
      return moment(tracer, OPERATION.searchMemory, event, {
        [GEN_AI.memoryRecordCount]: event.messageIds.length,
        [THREADFOLD.rehydrationTokens]: event.tokens,
      });
    case "rehydration_blocked_sensitivity":
      return moment(tracer, OPERATION.retrieval, event, {
        [THREADFOLD.artifactId]: event.artifactId,
        [ERROR_TYPE]: "sensitivity",
      });
    default:
      return;
  }
}

/** A span of something that is told of when it is over. */
function moment(tracer: Tracer, operation: string, { threadId }: ContextCompactionEvent, attributes: Attributes): void {
  tracer
    .startSpan(operation, {
      kind: SpanKind.INTERNAL,
      attributes: {
        [GEN_AI.operationName]: operation,
        [GEN_AI.conversationId]: threadId,
        [GEN_AI.dataSourceId]: "threadfold",
        ...attributes,
      },
    })
    .end();
}
