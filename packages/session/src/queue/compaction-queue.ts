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

/** How a session leaves its folds to workers. */
export interface BackgroundOptions {
  /** Where folds are asked for; see `startCompactionWorker`. */
  readonly queue: CompactionQueue;
  /**
   * Share of the room from which on a worker is asked, ahead of the session's own threshold. By default 0.12 below the
   * configuration's `softThresholdPercent`, and never below its `targetPercent`: the room that the agent's calls have while
   * the worker folds.
   */
  readonly softThreshold?: number;
  /** How long a request waits at most for the queue to take a job, in milliseconds. 2 000 by default. */
  readonly enqueueTimeoutMilliseconds?: number;
}

const AHEAD = 0.12;
const ENQUEUE_TIMEOUT = 2_000;

/** Fills in what the options leave out. @throws ThreadfoldError `INVALID_CONFIG`. */
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

/**
 * The result of asking for a fold: a job was put into the queue, or one for this thread was in there or under way
 * already.
 */
export type EnqueueResult = "enqueued" | "in-flight";

/** What stopped a job, in words that quote nothing of a thread. */
export interface JobProblem {
  /** `failed`: it was tried and did not succeed. `worker-lost`: its worker died, or took longer than a job may take. */
  readonly kind: "failed" | "worker-lost";
  /** The stable code of a Threadfold error; null for any other failure. */
  readonly code: string | null;
  readonly message: string;
}

/** How a job ended that needs no further try. */
export interface JobResult {
  /**
   * `committed`: the worker's plan holds. `already-committed`: somebody folded since the job was asked for, as a worker
   * does that dies before it can say so, and there is nothing more to fold. `conflict`: somebody else's plan was
   * committed while this one was made, and holds. `nothing`: no fold was due, or it had no effect.
   */
  readonly type: "committed" | "already-committed" | "conflict" | "nothing";
  /** The outcome of the fold; see `CompactionOutcome`. */
  readonly outcome: string;
  /** The plan that held at the end, as far as the worker knows. */
  readonly planVersion: number;
}

/** What a worker says of a job: done, to be tried again, or not to be tried again. */
export type JobSettlement =
  | { readonly status: "done"; readonly result: JobResult }
  | { readonly status: "retry" | "dead"; readonly problem: JobProblem };

/** The error of a call of a queue that was not answered in time. A job that the queue takes later does no harm. */
export function queueTimedOut(limit: TimeLimit): ThreadfoldError {
  const { message, hint, details } = timedOut(limit);
  return new ThreadfoldError("QUEUE_UNAVAILABLE", message, { hint, details });
}

/** A job in the hands of a worker. */
export interface JobDelivery {
  readonly job: CompactionJob;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  /** Fires when the job was taken away from this worker: what it settles then is ignored. */
  readonly signal: AbortSignal;
}

/** A job that was given up. */
export interface DeadCompactionJob {
  /** Null when what was in the queue is not a compaction job. */
  readonly job: CompactionJob | null;
  readonly attempts: number;
  readonly problem: JobProblem;
  /** ISO 8601 in UTC. */
  readonly diedAt: string;
}

/** A worker's place at a queue. */
export interface QueueSubscription {
  /** Takes no further job, and waits for those that are under way. */
  stop(): Promise<void>;
}

/**
 * Hands jobs from sessions to workers, on one machine or on many. A job is handed to one worker at a time, is handed to
 * another one when its worker dies, and stays until it was settled. Its worker may still be alive, cut off from the
 * queue: two may then be at one thread, and the commit's compare-and-set decides between them.
 */
export interface CompactionQueue {
  /**
   * Asks for a fold. Of one thread no more than one job is in the queue or under way.
   *
   * @throws ThreadfoldError `QUEUE_UNAVAILABLE`.
   */
  enqueue(job: CompactionJob): Promise<EnqueueResult>;
  /**
   * Hands jobs to a worker, `concurrency` at a time. A job whose handler throws is tried again.
   *
   * @throws ThreadfoldError `QUEUE_UNAVAILABLE`.
   */
  work(
    handle: (delivery: JobDelivery) => Promise<JobSettlement>,
    options: { readonly concurrency: number },
  ): Promise<QueueSubscription>;
  /**
   * Whether a job of a thread is in the queue or under way, for whoever is about to move the thread away. Absent where the
   * queue cannot tell.
   *
   * @throws ThreadfoldError `QUEUE_UNAVAILABLE`.
   */
  isInFlight?(thread: Pick<CompactionJob, "tenantId" | "threadId">): Promise<boolean>;
  /** Jobs that were given up, newest first. @throws ThreadfoldError `QUEUE_UNAVAILABLE`. */
  deadJobs(): Promise<readonly DeadCompactionJob[]>;
  /** Ends what this process does at the queue. Jobs stay. */
  close(): Promise<void>;
}

/** What a worker is asked to fold. It says which thread and under which figures, and holds nothing that anybody said. */
export interface CompactionJob {
  readonly schemaVersion: 1;
  readonly threadId: ThreadId;
  /** Whose thread it is: the worker opens the store of this tenant. */
  readonly tenantId: string | null;
  /** The plan that held when the job was asked for. A newer one means that somebody has folded since. */
  readonly planVersion: number;
  /** Entries that the thread had then. What came since is folded as well when the worker gets to see it. */
  readonly threadVersion: number;
  /** Tokens that a request to the agent's model may have. */
  readonly maxInputTokens: number;
  /** Share of `maxInputTokens` from which on the worker folds. */
  readonly softThreshold: number;
}

const count = z.int().nonnegative();

const jobSchema: z.ZodType<CompactionJob> = z.strictObject({
  schemaVersion: z.literal(1),
  threadId: threadIdSchema,
  tenantId: z.string().min(1).max(1_000).nullable(),
  planVersion: count,
  threadVersion: count,
  maxInputTokens: z.int().positive(),
  softThreshold: z.number().gt(0).max(1),
});

/**
 * Reads a job that came out of a queue. @throws ThreadfoldError `WRONG_FORMAT` when it is not a job, or one of another
 * version.
 */
export function parseCompactionJob(data: unknown): CompactionJob {
  const parsed = jobSchema.safeParse(data);
  if (parsed.success) return Object.freeze(parsed.data);
  const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join(".") || "(whole)"))].join(", ");
  throw new ThreadfoldError("WRONG_FORMAT", `A job of the queue is not a compaction job: ${fields}.`, {
    hint: "Give compaction a queue of its own, and let workers be no older than the sessions that ask them.",
  });
}

/** Names a thread of a tenant among all jobs: jobs of one name are never in flight together. */
export const compactionJobKey = ({ tenantId, threadId }: Pick<CompactionJob, "tenantId" | "threadId">): string =>
  sha256(JSON.stringify([tenantId, threadId]));
