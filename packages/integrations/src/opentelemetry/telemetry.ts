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
  /** Returns the current time. The machine's clock by default. */
  readonly clock?: Clock;
}

/** The hooks of telemetry, for a session and for its host. */
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

/** A span without a duration, for an event that is only reported once it is over. */
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
