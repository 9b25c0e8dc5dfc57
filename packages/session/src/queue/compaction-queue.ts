import {
  type ContextCompactionConfig,
  sha256,
  ThreadfoldError,
  type ThreadId,
  type TimeLimit,
  threadIdSchema,
  timedOut,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";

/** How a session has its folds made by workers. */
export interface BackgroundOptions {
  /** The queue for fold jobs; see `startCompactionWorker`. */
  readonly queue: CompactionQueue;
  /**
   * Share of the budget at which a worker is asked to fold, ahead of the session's own threshold. By default 0.12 below
   * the configuration's `softThresholdPercent`, but not below its `targetPercent`; the difference is the space for the
   * agent's calls while the worker folds.
   */
  readonly softThreshold?: number;
  /** Maximum time that a request waits for the queue to accept a job, in milliseconds. 2 000 by default. */
  readonly enqueueTimeoutMilliseconds?: number;
}

const AHEAD = 0.12;
const ENQUEUE_TIMEOUT = 2_000;

/**
 * Fills in defaults for options that are not given.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when one is out of range.
 */
export function backgroundOptions(
  options: BackgroundOptions,
  { softThresholdPercent, targetPercent }: Pick<ContextCompactionConfig, "softThresholdPercent" | "targetPercent">,
): Required<BackgroundOptions> {
  const byDefault = Math.max(targetPercent, softThresholdPercent - AHEAD);
  const { queue, softThreshold = byDefault, enqueueTimeoutMilliseconds = ENQUEUE_TIMEOUT } = options;
  if (!(softThreshold > 0 && softThreshold <= 1))
    throw new ThreadfoldError("INVALID_CONFIG", "background.softThreshold has to be above 0 and at most 1.");
  if (!(enqueueTimeoutMilliseconds > 0 && enqueueTimeoutMilliseconds <= 600_000))
    throw new ThreadfoldError(
      "INVALID_CONFIG",
      "background.enqueueTimeoutMilliseconds has to be above 0 and at most 600000.",
    );
  return { queue, softThreshold, enqueueTimeoutMilliseconds };
}

/** The result of requesting a fold: a job was enqueued, or one for this thread was already queued or in progress. */
export type EnqueueResult = "enqueued" | "in-flight";

/** Why a job failed, without quoting any content of a thread. */
export interface JobProblem {
  /** `failed`: an attempt did not succeed. `worker-lost`: its worker died, or exceeded the time limit of a job. */
  readonly kind: "failed" | "worker-lost";
  /** The stable code of a Threadfold error; null for any other failure. */
  readonly code: string | null;
  readonly message: string;
}

/** How a job ended that needs no further attempt. */
export interface JobResult {
  /**
   * `committed`: the worker's plan was committed. `already-committed`: the thread was folded after the job was
   * requested, for example by a worker that died before reporting it, and there is nothing more to fold. `conflict`:
   * another plan was committed first, and is in force. `nothing`: no fold was due, or it had no effect.
   */
  readonly type: "committed" | "already-committed" | "conflict" | "nothing";
  /** The outcome of the fold; see `CompactionOutcome`. */
  readonly outcome: string;
  /** Version of the plan in force at the end, as far as the worker knows. */
  readonly planVersion: number;
}

/** A worker's verdict on a job: done, to be retried, or dead, which is not retried. */
export type JobSettlement =
  | { readonly status: "done"; readonly result: JobResult }
  | { readonly status: "retry" | "dead"; readonly problem: JobProblem };

/**
 * Returns the error for a queue call that was not answered in time. A job that the queue accepts later does no harm.
 */
export function queueTimedOut(limit: TimeLimit): ThreadfoldError {
  const { message, hint, details } = timedOut(limit);
  return new ThreadfoldError("QUEUE_UNAVAILABLE", message, { hint, details });
}

/** A job in the hands of a worker. */
export interface JobDelivery {
  readonly job: CompactionJob;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  /** Aborts when the job is taken away from this worker: a settlement after that is ignored. */
  readonly signal: AbortSignal;
}

/** A job that was given up. */
export interface DeadCompactionJob {
  /** Null when the data in the queue was not a compaction job. */
  readonly job: CompactionJob | null;
  readonly attempts: number;
  readonly problem: JobProblem;
  /** When it was given up, in ISO 8601, UTC. */
  readonly diedAt: string;
}

/** A worker's subscription to a queue. */
export interface QueueSubscription {
  /** Stops taking jobs, and waits for those in progress. */
  stop(): Promise<void>;
}

/**
 * Delivers jobs from sessions to workers, on one machine or on many. A job is given to one worker at a time, is given
 * to another one when its worker dies, and stays until it is settled. A worker that seems dead may only be cut off from
 * the queue: two workers may then fold one thread, and the commit's compare-and-set decides between them.
 */
export interface CompactionQueue {
  /**
   * Requests a fold. At most one job per thread is queued or in progress.
   *
   * @throws ThreadfoldError `QUEUE_UNAVAILABLE`.
   */
  enqueue(job: CompactionJob): Promise<EnqueueResult>;
  /**
   * Delivers jobs to a worker, up to `concurrency` at a time. A job whose handler throws is retried.
   *
   * @throws ThreadfoldError `QUEUE_UNAVAILABLE`.
   */
  work(
    handle: (delivery: JobDelivery) => Promise<JobSettlement>,
    options: { readonly concurrency: number },
  ): Promise<QueueSubscription>;
  /**
   * Checks whether a job of a thread is queued or in progress, for a caller that is about to move the thread away.
   * Absent when the queue cannot tell.
   *
   * @throws ThreadfoldError `QUEUE_UNAVAILABLE`.
   */
  isInFlight?(thread: Pick<CompactionJob, "tenantId" | "threadId">): Promise<boolean>;
  /** Returns jobs that were given up, newest first. @throws ThreadfoldError `QUEUE_UNAVAILABLE`. */
  deadJobs(): Promise<readonly DeadCompactionJob[]>;
  /** Ends this process's use of the queue. Jobs stay in it. */
  close(): Promise<void>;
}

/** A job for a worker: which thread to fold, and under which limits. It contains no content of the thread. */
export interface CompactionJob {
  readonly schemaVersion: 1;
  readonly threadId: ThreadId;
  /** The tenant that owns the thread, and whose store the worker opens. */
  readonly tenantId: string | null;
  /** Version of the plan when the job was requested. A newer one means that the thread has been folded since. */
  readonly planVersion: number;
  /** Version of the thread at that time. Entries since then are folded as well if the worker sees them. */
  readonly threadVersion: number;
  /** Maximum tokens of a request to the agent's model. */
  readonly maxInputTokens: number;
  /** Share of `maxInputTokens` at which the worker folds. */
  readonly softThreshold: number;
}

const count = z.int().nonnegative();

const jobSchema: z.ZodType<CompactionJob> = z.lazy(() =>
  z.strictObject({
    schemaVersion: z.literal(1),
    threadId: threadIdSchema,
    tenantId: z.string().min(1).max(1_000).nullable(),
    planVersion: count,
    threadVersion: count,
    maxInputTokens: z.int().positive(),
    softThreshold: z.number().gt(0).max(1),
  }),
);

/**
 * Parses a job that came out of a queue.
 *
 * @throws ThreadfoldError `WRONG_FORMAT` when it is not a job, or a job of another schema version.
 */
export function parseCompactionJob(data: unknown): CompactionJob {
  const parsed = jobSchema.safeParse(data);
  if (parsed.success) return Object.freeze(parsed.data);
  const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join(".") || "(whole)"))].join(", ");
  throw new ThreadfoldError("WRONG_FORMAT", `A job of the queue is not a compaction job: ${fields}.`, {
    hint: "Give compaction a separate queue, and do not run workers that are older than the sessions that use them.",
  });
}

/** Returns a job's key, which is the same for all jobs of one tenant's thread: they are never in flight together. */
export const compactionJobKey = ({ tenantId, threadId }: Pick<CompactionJob, "tenantId" | "threadId">): string =>
  sha256(JSON.stringify([tenantId, threadId]));
