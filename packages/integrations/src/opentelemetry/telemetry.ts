import {
  type Attributes,
  context,
  type MeterProvider,
  metrics,
  type Span,
  SpanKind,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import {
  type Clock,
  type CompactionEventListener,
  type CompletionModel,
  type ContextCompactionEvent,
  planRecords,
  type ToolOutcomeStatus,
} from "@threadfold/core";
import { type PreparedRequest, systemClock } from "@threadfold/session";
import packageJson from "../../package.json" with { type: "json" };
import type { ToolCallReport } from "../mcp/tool-call.ts";
import { FoldMetrics, FoldSpans } from "./folds.ts";
import {
  type EmittedNames,
  ERROR_TYPE,
  GEN_AI,
  MCP,
  OPERATION,
  THREADFOLD,
  THREADFOLD_METRIC,
} from "./semantic-conventions.ts";
import {
  type FoldedContentTool,
  type ModelFacts,
  ModelMetrics,
  type TracedTool,
  tracedModel,
  tracedTool,
} from "./traced-calls.ts";

/** Options of {@link sessionTelemetry}. Every field has a default. */
export interface TelemetryOptions {
  /** Provider of tracers. The globally registered one by default. */
  readonly tracerProvider?: TracerProvider;
  /** Provider of meters. The globally registered one by default. */
  readonly meterProvider?: MeterProvider;
  /** Which names to write when the conventions changed them. `stable-2026` by default. */
  readonly emit?: EmittedNames;
  /** Records content in spans: summarizer prompts and answers, tool arguments and results, queries. Off by default. */
  readonly captureContent?: boolean;
  /** Also creates spans for checks that folded nothing, which are most of them. Off by default. */
  readonly spansOfChecks?: boolean;
  /** Provides the current time. The machine's clock by default. */
  readonly clock?: Clock;
}

/** Telemetry hooks for a session and its host. */
export interface SessionTelemetry {
  /** The session's `onEvent` listener. */
  readonly onEvent: CompactionEventListener;
  /** Wraps the summarizer's model, so that its calls become child spans of the fold that they are made for. */
  readonly model: (model: CompletionModel, facts: ModelFacts) => CompletionModel;
  /** Wraps a tool of the session, so that its calls become spans. */
  readonly tool: <
    Result extends { readonly outcome: ToolOutcomeStatus; readonly text: string; readonly problem: string | null },
  >(
    tool: FoldedContentTool<Result>,
  ) => TracedTool<Result>;
  /** Marks the host's own span of a model call as compacted when its request is. Does nothing otherwise. */
  readonly markCompacted: (span: Span, request: Pick<PreparedRequest, "plan">) => void;
  /** Counts how often summaries were found in a cache. @returns a function that stops counting. */
  readonly observeCache: (statistics: () => CacheStatistics) => () => void;
}

/** Lookups that a cache answered and did not answer, since it was created. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
}

/**
 * Records spans and metrics of one session, using only `@opentelemetry/api`. Without registered providers it does
 * nothing. Metrics identify no thread and no tenant; content is recorded only with `captureContent`. Create one for
 * each session, because a summarizer's calls become children of the newest fold in progress.
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
    onEvent: (event) => handle(event, { spans, folds, tracer, now: () => clock.now() }),
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

interface EventSinks {
  readonly spans: FoldSpans;
  readonly folds: FoldMetrics;
  readonly tracer: Tracer;
  readonly now: () => number;
}

function handle(event: ContextCompactionEvent, { spans, folds, tracer, now }: EventSinks): void {
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
      return instantSpan(tracer, OPERATION.retrieval, event, {
        [THREADFOLD.artifactId]: event.artifactId,
        [THREADFOLD.rehydrationTokens]: event.tokens,
      });
    case "compaction_recalled":
      folds.rehydrated(event.tokens, OPERATION.searchMemory);
      return instantSpan(tracer, OPERATION.searchMemory, event, {
        [GEN_AI.memoryRecordCount]: event.messageIds.length,
        [THREADFOLD.rehydrationTokens]: event.tokens,
      });
    case "rehydration_blocked_sensitivity":
      return instantSpan(tracer, OPERATION.retrieval, event, {
        [THREADFOLD.artifactId]: event.artifactId,
        [ERROR_TYPE]: "sensitivity",
      });
    default:
      return;
  }
}

/** A span without a duration, for an event that is reported only when it is over. */
function instantSpan(
  tracer: Tracer,
  operation: string,
  { threadId }: ContextCompactionEvent,
  attributes: Attributes,
): void {
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

/**
 * Returns a listener that records the duration of an MCP server's tool calls. Pass it to `threadServer` as `onCall`.
 */
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
