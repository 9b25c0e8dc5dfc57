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
  trace,
} from "@opentelemetry/api";
import type { CompactionCause, CompactionNotice, CompactionOutcome, ContextCompactionEvent } from "@threadfold/core";
import {
  ERROR_TYPE,
  GEN_AI,
  type MetricName,
  OPERATION,
  THREADFOLD,
  THREADFOLD_EVENT,
  THREADFOLD_METRIC,
} from "./semantic-conventions.ts";

/** Events about one attempt to fold. */
type FoldEvent = Extract<ContextCompactionEvent, { readonly foldId: string }>;
type StartedEvent = Extract<FoldEvent, { readonly type: "compaction_check_started" }>;
type CompletedEvent = Extract<FoldEvent, { readonly type: "compaction_completed" }>;
type RecordEvent = Extract<FoldEvent, { readonly type: keyof typeof RECORD_EVENTS }>;

/** An attempt to fold that is in progress. */
interface OpenFold {
  readonly started: StartedEvent;
  readonly startTime: number;
  readonly parent: Context;
  readonly strategies: Set<string>;
  span: Span | null;
  notice: CompactionNotice | null;
}

const RECORD_EVENTS = {
  compaction_externalized: THREADFOLD_EVENT.externalized,
  compaction_summarized: THREADFOLD_EVENT.summarized,
  compaction_cleared: THREADFOLD_EVENT.cleared,
  compaction_dropped: THREADFOLD_EVENT.dropped,
} as const;

/**
 * Records each attempt to fold as a `compact` span. The span is created when something is proposed, with the time at
 * which the check began as its start, so that the checks before each request that fold nothing leave no span unless
 * they are asked for.
 */
export class FoldSpans {
  readonly #tracer: Tracer;
  readonly #ofChecks: boolean;
  readonly #open = new Map<string, OpenFold>();

  constructor(tracer: Tracer, ofChecks: boolean) {
    this.#tracer = tracer;
    this.#ofChecks = ofChecks;
  }

  /** The parent context for a summarizer's calls: that of the newest attempt in progress, or null. */
  get current(): Context | null {
    const newest = [...this.#open.values()].at(-1);
    return newest === undefined ? null : trace.setSpan(newest.parent, this.#spanOf(newest));
  }

  start(started: StartedEvent, parent: Context, startTime: number): void {
    this.#open.set(started.foldId, { started, startTime, parent, strategies: new Set(), span: null, notice: null });
  }

  /** Creates the span of an attempt, now that something was proposed. */
  propose({ foldId }: FoldEvent): void {
    const fold = this.#open.get(foldId);
    if (fold !== undefined) this.#spanOf(fold);
  }

  record(event: RecordEvent): void {
    const fold = this.#open.get(event.foldId);
    if (fold === undefined) return;
    fold.strategies.add(event.strategy);
    this.#spanOf(fold).addEvent(RECORD_EVENTS[event.type], {
      [THREADFOLD.strategy]: event.strategy,
      [THREADFOLD.tokensFreed]: event.tokensFreed,
      [THREADFOLD.entries]: event.span.messageIds.length,
    });
  }

  notice(foldId: string, notice: CompactionNotice): void {
    const fold = this.#open.get(foldId);
    if (fold !== undefined) fold.notice = notice;
  }

  complete(event: CompletedEvent): void {
    const fold = this.#open.get(event.foldId);
    this.#open.delete(event.foldId);
    if (fold === undefined) return;
    const isCheck = outcomeClass(event.outcome) === "noop" && fold.span === null;
    if (isCheck && !this.#ofChecks) return;
    const span = this.#spanOf(fold);
    span.setAttributes(completedAttributes(event, fold));
    if (outcomeClass(event.outcome) === "failed") span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  #spanOf(fold: OpenFold): Span {
    const { started, startTime, parent } = fold;
    fold.span ??= this.#tracer.startSpan(
      OPERATION.compact,
      {
        kind: SpanKind.INTERNAL,
        startTime,
        attributes: {
          [GEN_AI.operationName]: OPERATION.compact,
          [GEN_AI.conversationId]: started.threadId,
          [THREADFOLD.trigger]: started.cause,
          [THREADFOLD.tokensBefore]: started.tokensBefore,
          [THREADFOLD.budgetLimit]: started.budgetLimit,
        },
      },
      parent,
    );
    return fold.span;
  }
}

function completedAttributes(event: CompletedEvent, { strategies, notice }: OpenFold): Attributes {
  const { outcome, tokensBefore, tokensAfter, cost } = event;
  const outcomeOf = outcomeClass(outcome);
  return {
    [THREADFOLD.outcome]: outcomeOf,
    [THREADFOLD.outcomeDetail]: outcome.type,
    [THREADFOLD.tokensBefore]: tokensBefore,
    [THREADFOLD.tokensAfter]: tokensAfter,
    [THREADFOLD.summarizerCalls]: cost.summarizerCalls,
    ...(strategies.size > 0 && { [THREADFOLD.strategy]: [...strategies] }),
    ...(cost.inputTokens > 0 && { [GEN_AI.inputTokens]: cost.inputTokens }),
    ...(cost.outputTokens > 0 && { [GEN_AI.outputTokens]: cost.outputTokens }),
    ...planAttributes(outcome),
    ...(notice !== null && noticeAttributes(notice)),
    ...((outcomeOf === "failed" || outcomeOf === "conflict") && { [ERROR_TYPE]: outcome.type }),
  };
}

function planAttributes(outcome: CompactionOutcome): Attributes {
  if (outcome.type === "conflict") return { [THREADFOLD.planVersion]: outcome.currentVersion };
  if (!("plan" in outcome)) return {};
  return {
    [THREADFOLD.planId]: outcome.plan.planId,
    [THREADFOLD.planVersion]: outcome.plan.version,
    [THREADFOLD.planBaseVersion]: outcome.plan.version - 1,
  };
}

const noticeAttributes = ({ messages, pinned }: CompactionNotice): Attributes => ({
  [THREADFOLD.entriesKept]: messages.kept,
  [THREADFOLD.entriesSummarized]: messages.summarized,
  [THREADFOLD.entriesCleared]: messages.cleared,
  [THREADFOLD.entriesExternalized]: messages.externalized,
  [THREADFOLD.entriesDropped]: messages.dropped,
  [THREADFOLD.pins]: pinned,
});

/** The figures of a finished attempt that metrics record. */
interface FoldFigures {
  readonly cause: CompactionCause;
  readonly outcome: CompactionOutcome;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly durationMilliseconds: number;
}

/** Metrics of folds and of content that comes back. Their attributes have few values and identify nobody. */
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

/** The outcome of an attempt, in the few values that a dashboard groups by. */
type OutcomeClass = "committed" | "conflict" | "noop" | "failed";

/** The class of each outcome; a new outcome does not compile without an entry here. */
const CLASSES: Readonly<Record<CompactionOutcome["type"], OutcomeClass>> = Object.freeze({
  committed: "committed",
  "summarizer-failed-floor-used": "committed",
  "no-op": "noop",
  postponed: "noop",
  disabled: "noop",
  vetoed: "noop",
  aborted: "noop",
  ineffective: "failed",
  inflated: "failed",
  refused: "failed",
  infeasible: "failed",
  failed: "failed",
  conflict: "conflict",
});

/** Returns the outcome of an attempt as an attribute of low cardinality. */
const outcomeClass = ({ type }: CompactionOutcome): OutcomeClass => CLASSES[type];
