import {
  type Clock,
  checkOptions,
  checkTimeLimit,
  type OptionKinds,
  refuseArgument,
  ThreadfoldError,
  tellListener,
  withinLimit,
} from "@threadfold/core";
import { systemClock } from "../host/session-parts.ts";
import {
  type CompactionJob,
  type CompactionQueue,
  type JobDelivery,
  type JobProblem,
  type JobResult,
  type JobSettlement,
  queueTimedOut,
} from "../queue/compaction-queue.ts";
import { type JobPorts, runCompactionJob } from "./run-compaction-job.ts";

/** An event of a worker. Carries ids and figures, never content. */
export type CompactionWorkerEvent = { readonly job: CompactionJob; readonly attempt: number } & (
  | { readonly type: "job-started" }
  | { readonly type: "job-done"; readonly result: JobResult; readonly durationMilliseconds: number }
  /** The job will be retried, by this worker or another one. */
  | { readonly type: "job-retried"; readonly problem: JobProblem; readonly durationMilliseconds: number }
  /** The job was given up; `CompactionQueue.deadJobs` lists it. */
  | { readonly type: "job-dead"; readonly problem: JobProblem; readonly durationMilliseconds: number }
);

/** Options of a worker. */
export interface CompactionWorkerOptions extends JobPorts {
  /** The queue that sessions have in `background`. */
  readonly queue: CompactionQueue;
  /** Maximum number of threads that are folded at the same time. 2 by default. */
  readonly concurrency?: number;
  /** Stops the worker, as `stop` does. */
  readonly signal?: AbortSignal;
  /**
   * How long `stop` waits before it aborts running folds, in milliseconds; aborted jobs are retried. 30 000 by default.
   */
  readonly graceMilliseconds?: number;
  /** Called with every event of the worker. Errors that it throws are ignored. */
  readonly onEvent?: (event: CompactionWorkerEvent) => void;
  /** Clock that measures how long jobs take. The system clock by default. */
  readonly clock?: Clock;
}

/**
 * What a worker did since it was started. `retries` counts attempts instead of jobs: a job may be attempted several
 * times.
 */
export interface CompactionWorkerFigures {
  readonly running: number;
  /** Jobs that need no further attempt. */
  readonly done: number;
  readonly committed: number;
  readonly alreadyCommitted: number;
  readonly conflicts: number;
  readonly nothing: number;
  /** Attempts that failed and will be retried. */
  readonly retries: number;
  readonly dead: number;
}

/** A running worker of a compaction queue. */
export interface CompactionWorker {
  figures(): CompactionWorkerFigures;
  /**
   * Stops taking jobs, and waits for those in progress during the grace period. Calling it again has no further effect.
   *
   * @throws ThreadfoldError `QUEUE_UNAVAILABLE` when the queue has not released the worker ten seconds after that
   * period.
   */
  stop(): Promise<void>;
}

const CONCURRENCY = 2;
const GRACE = 30_000;
/** How long the queue may take after the grace period to release a worker, in milliseconds. */
const STOP_MS = 10_000;
const COUNTED = { committed: "committed", "already-committed": "alreadyCommitted", conflict: "conflicts" } as const;

const OPTIONS: OptionKinds<CompactionWorkerOptions> = {
  queue: "any",
  openStore: "call",
  session: "any",
  concurrency: "any",
  signal: "signal",
  graceMilliseconds: "any",
  portTimeLimitMs: "any",
  onEvent: "call",
  clock: "any",
};

/** @throws ThreadfoldError `INVALID_CONFIG`; a part that is missing would otherwise fail every job. */
function checkWorker(options: CompactionWorkerOptions): void {
  checkOptions("options", options, OPTIONS);
  const { queue, openStore, session } = options;
  if (typeof queue?.work !== "function")
    refuseArgument("queue", "it has no work.", "Pass the queue that the sessions have in background.");
  if (openStore === undefined) refuseArgument("openStore", "it is missing.", "Pass (tenantId) => openStore(place).");
  if (Object(session) !== session)
    refuseArgument("session", "it has to be an object or a function.", "Pass the agent's own options, or {}.");
}

/**
 * Starts a worker that folds threads ahead of need, as sessions request with their option `background`. Any number of
 * workers, on any number of machines, can share one queue. Nothing is lost when a worker dies: its job goes to another
 * one, and a plan that it had already committed is found and not made again.
 *
 * @throws ThreadfoldError `QUEUE_UNAVAILABLE` when the queue does not answer; `INVALID_CONFIG` for an option that is
 * missing, unknown or out of range.
 */
export async function startCompactionWorker(options: CompactionWorkerOptions): Promise<CompactionWorker> {
  checkWorker(options);
  const { queue, concurrency = CONCURRENCY, graceMilliseconds = GRACE, signal, clock = systemClock } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1 || concurrency > 100)
    throw new ThreadfoldError("INVALID_CONFIG", "concurrency has to be a whole number from 1 to 100.");
  checkTimeLimit("graceMilliseconds", graceMilliseconds + STOP_MS);
  if (options.portTimeLimitMs !== undefined) checkTimeLimit("portTimeLimitMs", options.portTimeLimitMs);
  const folding = new AbortController();
  const figures = {
    running: 0,
    done: 0,
    committed: 0,
    alreadyCommitted: 0,
    conflicts: 0,
    nothing: 0,
    retries: 0,
    dead: 0,
  };

  const tell = (event: CompactionWorkerEvent): void => {
    tellListener(options.onEvent, event);
  };
  const handle = async (delivery: JobDelivery): Promise<JobSettlement> => {
    const { job, attempt } = delivery;
    const startedAt = clock.now();
    figures.running++;
    tell({ type: "job-started", job, attempt });
    const settlement = await runCompactionJob(job, options, AbortSignal.any([delivery.signal, folding.signal]));
    figures.running--;
    const named = { job, attempt, durationMilliseconds: clock.now() - startedAt };
    if (settlement.status === "done") {
      const { result } = settlement;
      figures.done++;
      figures[result.type === "nothing" ? "nothing" : COUNTED[result.type]]++;
      tell({ ...named, type: "job-done", result });
      return settlement;
    }
    const isDead = settlement.status === "dead" || delivery.isLastAttempt;
    figures[isDead ? "dead" : "retries"]++;
    tell({ ...named, type: isDead ? "job-dead" : "job-retried", problem: settlement.problem });
    return settlement;
  };

  const subscription = await queue.work(handle, { concurrency });
  const stopNow = async (): Promise<void> => {
    const timer = setTimeout(() => folding.abort(), graceMilliseconds);
    try {
      await withinLimit(() => subscription.stop(), {
        ...{ milliseconds: graceMilliseconds + STOP_MS, waitedFor: "the queue's stop", option: "graceMilliseconds" },
        ...{ timers: globalThis, late: queueTimedOut },
      });
    } finally {
      clearTimeout(timer);
    }
  };
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= stopNow());
  const stopQuietly = (): void => void stop().catch(() => undefined);
  if (signal?.aborted === true) stopQuietly();
  signal?.addEventListener("abort", stopQuietly, { once: true });
  return { figures: () => ({ ...figures }), stop };
}
