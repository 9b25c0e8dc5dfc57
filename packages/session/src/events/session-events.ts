import {
  type Clock,
  type CompactionAction,
  type CompactionCause,
  type CompactionEventListener,
  type CompactionNotice,
  type CompactionOutcome,
  type CompactionPlan,
  type ContextCompactionEvent,
  compactionNotice,
  EventLoopTurns,
  type JsonValue,
  type SummariesAskedRecord,
  type Summarizer,
  sha256,
  type ThreadId,
  tellListener,
} from "@threadfold/core";
import { compactionQualityInSteps, qualityEvent } from "@threadfold/rehydration";
import { redactJson } from "@threadfold/summarizers";
import type { CommitWeighing, CompactOptions, MeteredSummarizer, Turn, TurnResult, UsageState } from "@threadfold/turn";
import type { SessionOptions } from "../host/session-options.ts";
import { freedTokens } from "./freed-tokens.ts";

/**
 * Passes events to a session's listener, and names its attempts to fold. Errors that the listener throws are ignored.
 */
export class SessionEvents {
  readonly #listener: CompactionEventListener | undefined;
  readonly #redacts: boolean;
  readonly #threadId: ThreadId;
  readonly #openedAt: number;
  #attempts = 0;

  constructor({ onEvent, redactSecrets = true, threadId }: SessionOptions, clock: Clock) {
    this.#listener = onEvent;
    this.#redacts = redactSecrets;
    this.#threadId = threadId;
    this.#openedAt = clock.now();
  }

  /** Returns a name for the next attempt, unique within the session and across sessions opened at different times. */
  nextFoldId(): string {
    this.#attempts++;
    return `fold-${sha256(`${this.#threadId}\n${this.#openedAt}\n${this.#attempts}`).slice(0, 16)}`;
  }

  /** False without a listener: then figures that only events need are not computed. */
  get isHeard(): boolean {
    return this.#listener !== undefined;
  }

  emit(event: ContextCompactionEvent): void {
    tellListener(this.#listener, event);
  }

  /** Emits an event that may quote messages, with secrets redacted. */
  async emitRedacted(event: ContextCompactionEvent): Promise<void> {
    if (!this.isHeard) return;
    this.emit(this.#redacts ? await redactedEvent(event) : event);
  }
}

/**
 * Returns an event with secrets redacted. Most events only carry ids and figures and are returned unchanged; but an
 * outcome contains its plan, and a plan quotes key fields of results and arguments of calls.
 */
async function redactedEvent(event: ContextCompactionEvent): Promise<ContextCompactionEvent> {
  if (event.type !== "compaction_completed" || !("plan" in event.outcome)) return event;
  return (await redactJson(event as unknown as JsonValue)) as unknown as ContextCompactionEvent;
}

/** Reports to a session's listener what its folds do. Events about a plan are emitted after its commit. */
export class FoldEvents {
  readonly #options: Pick<SessionOptions, "threadId" | "warnAfterCompactions">;
  readonly #events: SessionEvents;
  readonly #budgetLimit: () => number;
  readonly #clock: Clock;

  constructor(
    options: Pick<SessionOptions, "threadId" | "warnAfterCompactions">,
    events: SessionEvents,
    budgetLimit: () => number,
    clock: Clock,
  ) {
    this.#options = options;
    this.#events = events;
    this.#budgetLimit = budgetLimit;
    this.#clock = clock;
  }

  started({ foldId, cause, tokensBefore }: FoldAttempt): void {
    this.#events.emit({ ...this.#base, foldId, type: "compaction_check_started", cause, tokensBefore });
  }

  /** Reports a plan that was committed, record by record, and returns its notice. */
  async committed(result: TurnResult, { foldId, cause, startedAt }: FoldAttempt): Promise<CompactionNotice> {
    const { turn, outcome, plan } = result;
    const { thread } = turn.state;
    if (this.#events.isHeard) await this.#tellRecords(result, foldId);
    const warnAfter = this.#options.warnAfterCompactions ?? turn.preset.warnAfterCompactions;
    const notice = compactionNotice({
      cause,
      plan,
      threadLength: thread.length,
      pinned: thread.livePins.length,
      tokens: outcome.tokens,
      budgetLimit: turn.config.maxInputTokens,
      durationMilliseconds: this.#clock.now() - startedAt,
      ...(warnAfter !== undefined && { warnAfter }),
    });
    this.#events.emit({ ...this.#base, foldId, type: "compaction_boundary", notice });
    return notice;
  }

  async #tellRecords({ turn, plan, basis, changes }: TurnResult, foldId: string): Promise<void> {
    for (const change of changes)
      this.#events.emit({ ...this.#base, foldId, type: "compaction_normalized", planVersion: plan.version, ...change });
    for (const event of recordEvents(turn, plan)) this.#events.emit(event);
    // Also computed for the first fold: it reads the whole thread anyway, and later folds need not read its calls
    // again.
    const quality = await new EventLoopTurns().finish(compactionQualityInSteps(turn.state.thread, basis));
    // An epoch ends here: the quality of its fold is reported before the next one begins.
    if (basis.version > 0) this.#events.emit(qualityEvent(basis, turn.config.maxInputTokens, quality));
  }

  async completed(
    { foldId, cause, startedAt, metered }: FoldAttempt,
    outcome: CompactionOutcome,
    weighing: CommitWeighing | null,
  ): Promise<void> {
    await this.#events.emitRedacted({
      ...this.#base,
      foldId,
      type: "compaction_completed",
      cause,
      outcome,
      tokensBefore: outcome.tokens.before,
      tokensAfter: outcome.tokens.after,
      durationMilliseconds: this.#clock.now() - startedAt,
      cost: { ...metered.cost(), weighing: weighing === null ? null : weighed(weighing) },
    });
  }

  reverted(plan: CompactionPlan, restoredVersion: number, { tokens }: CompactionOutcome): void {
    const { before: tokensBefore, after: tokensAfter } = tokens;
    const figures = { planVersion: plan.version, restoredVersion, tokensBefore, tokensAfter };
    this.#events.emit({ ...this.#base, type: "compaction_reverted", ...figures });
  }

  get #base() {
    return { threadId: this.#options.threadId, budgetLimit: this.#budgetLimit() };
  }
}

const weighed = ({ cost, savingPerCall, breakEvenCalls }: CommitWeighing) => ({ cost, savingPerCall, breakEvenCalls });

const EVENT_OF = {
  externalize: "compaction_externalized",
  summarize: "compaction_summarized",
  clear: "compaction_cleared",
  drop: "compaction_dropped",
} as const satisfies Readonly<Record<Exclude<CompactionAction, "include">, ContextCompactionEvent["type"]>>;

/** Returns one event for each record that a committed plan added, with the tokens that it removed from the prompt. */
function recordEvents(turn: Turn, plan: CompactionPlan): readonly ContextCompactionEvent[] {
  return [...freedTokens(turn.renderer, plan, turn.usage.estimate)]
    .filter(([{ sincePlanVersion }]) => sincePlanVersion === plan.version)
    .map(([record, tokensFreed]) => ({
      threadId: turn.threadId,
      budgetLimit: turn.config.maxInputTokens,
      foldId: turn.foldId,
      type: EVENT_OF[record.action],
      planVersion: plan.version,
      strategy: record.strategy,
      span: record.span,
      tokensFreed,
    }));
}

/**
 * How a fold is made: `at-once`, while the caller waits; `without-model`, for a request that waits for no summarizer;
 * `behind`, in the background, while the agent's calls go on.
 */
export type FoldPlace = "at-once" | "without-model" | "behind";

/** One check whether to fold, and the fold if there is one. */
export interface FoldAttempt {
  /** The attempt's name in events. */
  readonly foldId: string;
  readonly cause: CompactionCause;
  /** Tokens of the request under the current plan. */
  readonly tokensBefore: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly options: CompactOptions;
  readonly place: FoldPlace;
  readonly metered: MeteredSummarizer;
}

/** Returns why a fold is considered. */
export function causeOf({ force }: CompactOptions, { overflow, maxOutput }: UsageState): CompactionCause {
  if (force === true) return "manual";
  return overflow === "pending" || maxOutput === "pending" ? "reactive" : "auto";
}

/** Returns what a fold asked a model for; null for a summarizer without a model, which has no tokens to report. */
export function askedSummaries(
  { metered }: FoldAttempt,
  outcome: CompactionOutcome,
  { options, summarizer: own }: { readonly options: SessionOptions; readonly summarizer: Summarizer },
): Omit<SummariesAskedRecord, "type"> | null {
  const { summarizerCalls: calls, ...tokens } = metered.cost();
  const model = metered.of === own ? options.summaryModel?.id : undefined;
  if (calls === 0 || (tokens.inputTokens === 0 && model === undefined)) return null;
  return {
    ...{ outcome: outcome.type, ...("plan" in outcome && { planVersion: outcome.plan.version }) },
    ...{ summarizer: metered.of.id, ...(model !== undefined && { model }), calls, ...tokens },
  };
}
