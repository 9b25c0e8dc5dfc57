import {
  type CompactionOutcome,
  type CompactionPlan,
  type ContextCompactionEvent,
  problemOf,
  withinLimit,
} from "@threadfold/core";
import { anyOf, type CompactionPreset, tokenFractionTrigger } from "@threadfold/strategies";
import { type CompactOptions, decide, type Turn } from "@threadfold/turn";
import type { SessionEvents } from "../events/session-events.ts";
import type { SessionOptions } from "../host/session-options.ts";
import { type BackgroundOptions, type EnqueueResult, queueTimedOut } from "../queue/compaction-queue.ts";
import type { HistoryReader } from "../thread/session-history.ts";
import type { SessionPlan } from "../thread/session-plan.ts";

/**
 * For this many model calls, a session neither asks for the same fold again nor retries a queue that did not answer.
 */
const CALLS_BETWEEN_REQUESTS = 8;

/** A point in a thread's life: the plan at that time, and the step. */
interface Moment {
  readonly planVersion: number;
  readonly step: number;
}

/**
 * A session's requests to workers. The queue keeps the jobs; this remembers what was requested, so that it is requested
 * once.
 */
class FoldRequests {
  readonly softThreshold: number;
  readonly #options: Required<BackgroundOptions>;
  readonly #emit: (event: ContextCompactionEvent) => void;
  #asked: Moment | undefined;
  #failedAtStep = Number.NEGATIVE_INFINITY;

  constructor(options: Required<BackgroundOptions>, emit: (event: ContextCompactionEvent) => void) {
    this.softThreshold = options.softThreshold;
    this.#options = options;
    this.#emit = emit;
  }

  /** True while a plan by a worker may still arrive. */
  isPending(plan: CompactionPlan): boolean {
    return this.#asked?.planVersion === plan.version;
  }

  /**
   * Asks for a fold of the thread as it is. True when the fold is or was already requested; false when the queue did
   * not accept it, and the caller must make the fold.
   */
  async ask(turn: Turn, tokens: number, reason: string): Promise<boolean> {
    const { step } = turn.state.thread.position;
    const planVersion = turn.plan.version;
    const isRecent = (at: number): boolean => step - at < CALLS_BETWEEN_REQUESTS;
    if (this.#asked?.planVersion === planVersion && isRecent(this.#asked.step)) return true;
    if (isRecent(this.#failedAtStep)) return false;
    const base = { threadId: turn.threadId, budgetLimit: turn.config.maxInputTokens };
    try {
      const status = await this.#enqueue(turn);
      this.#asked = { planVersion, step };
      this.#emit({ ...base, type: "compaction_requested", planVersion, tokens, reason, status });
      return true;
    } catch (cause) {
      this.#asked = undefined;
      this.#failedAtStep = step;
      this.#emit({ ...base, type: "compaction_queue_failed", problem: problemOf(cause) });
      return false;
    }
  }

  /** Enqueues the job, and gives up when the queue does not answer in time: a job accepted later does no harm. */
  async #enqueue({ threadId, tenantId, plan, state, config }: Turn): Promise<EnqueueResult> {
    const { queue, softThreshold, enqueueTimeoutMilliseconds } = this.#options;
    return withinLimit(
      () =>
        queue.enqueue({
          schemaVersion: 1,
          threadId,
          tenantId,
          planVersion: plan.version,
          threadVersion: state.thread.version,
          maxInputTokens: config.maxInputTokens,
          softThreshold,
        }),
      {
        ...{ milliseconds: enqueueTimeoutMilliseconds, waitedFor: "the compaction queue", timers: globalThis },
        option: "background.enqueueTimeoutMilliseconds",
        late: (limit) => queueTimedOut(limit),
      },
    );
  }
}

/** What requesting and taking over workers' folds depends on. */
export interface WorkerFoldPorts {
  readonly options: Pick<SessionOptions, "threadId">;
  readonly plan: SessionPlan;
  readonly history: HistoryReader;
  /** The current cap, in tokens. */
  readonly budgetLimit: () => number;
  readonly events: SessionEvents;
}

/** The folds that workers make for a session: requests them ahead of need, and takes over what workers committed. */
export class WorkerFolds {
  readonly #ports: WorkerFoldPorts;
  readonly #requests: FoldRequests;

  constructor(options: Required<BackgroundOptions>, ports: WorkerFoldPorts) {
    this.#ports = ports;
    this.#requests = new FoldRequests(options, (event) => ports.events.emit(event));
  }

  /**
   * Takes over a plan that a worker committed, if one was requested. If the store fails, the next request tries again.
   */
  async takeCommitted(): Promise<void> {
    const { history, events, options, plan, budgetLimit } = this.#ports;
    if (!this.#requests.isPending(plan.current)) return;
    try {
      if (!(await history.takeCommitted())) return;
    } catch {
      return;
    }
    const { version: planVersion } = plan.current;
    events.emit({ threadId: options.threadId, budgetLimit: budgetLimit(), type: "compaction_plan_taken", planVersion });
  }

  /** Asks a worker for a fold that is due but not urgent. Null when the session must check and fold itself. */
  async leave(options: CompactOptions, now: () => Promise<Turn>): Promise<CompactionOutcome | null> {
    const { turn, decided } = await this.#ports.history.whenNeeded(async () => {
      const at = await now();
      const preset = foldsAhead(at.preset, this.#requests.softThreshold);
      return { turn: at, decided: decide({ ...at, preset }, options) };
    });
    if (!decided.due || decided.decision.level === "hard") return null;
    if (!(await this.#requests.ask(turn, decided.tokens, decided.decision.reason))) return null;
    const tokens = { before: decided.tokens, after: decided.tokens };
    return { type: "postponed", reason: "the fold is left to a worker", tokens };
  }
}

/**
 * Returns a preset that also fires from a lower share of the budget on, for workers to fold and sessions to ask them.
 */
export function foldsAhead(preset: CompactionPreset, softThreshold: number): CompactionPreset {
  return {
    ...preset,
    trigger: (config) =>
      anyOf(preset.trigger(config), tokenFractionTrigger(Math.min(softThreshold, config.softThresholdPercent))),
  };
}
