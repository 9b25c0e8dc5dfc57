import { ThreadfoldError, type TimeLimit, timedOut } from "@threadfold/core";
import type { CompactionJob } from "./compaction-job.ts";

/** What became of asking for a fold: a job was put into the queue, or one for this thread was in there or under way already. */
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
   * did that died before it could say so, and there is no more to fold. `conflict`: somebody else's plan was committed
   * while this one was made, and holds. `nothing`: no fold was due, or it came to nothing.
   */
  readonly type: "committed" | "already-committed" | "conflict" | "nothing";
  /** What the fold came to; see `CompactionOutcome`. */
  readonly outcome: string;
  /** The plan that held at the end, as far as the worker knows. */
  readonly planVersion: number;
}

/** What a worker says of a job: done, to be tried again, or not to be tried again. */
export type JobSettlement =
  | { readonly status: "done"; readonly result: JobResult }
  | { readonly status: "retry" | "dead"; readonly problem: JobProblem };

/** What a call of a queue ends in that was not answered in time. A job that the queue takes later does no harm. */
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
  /** Fires when the job was taken away from this worker: what it settles then is not heard. */
  readonly signal: AbortSignal;
}

/** A job that was given up. */
export interface DeadCompactionJob {
  /** Null when what was in the queue is no compaction job. */
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
 * another one when its worker dies, and stays until it was settled. Its worker may be alive all the same, cut off from the
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
   * Hands jobs to a worker, so many at a time. A job whose handler throws is tried again.
   *
   * @throws ThreadfoldError `QUEUE_UNAVAILABLE`.
   */
  work(
    handle: (delivery: JobDelivery) => Promise<JobSettlement>,
    options: { readonly concurrency: number },
  ): Promise<QueueSubscription>;
  /** Jobs that were given up, newest first. @throws ThreadfoldError `QUEUE_UNAVAILABLE`. */
  deadJobs(): Promise<readonly DeadCompactionJob[]>;
  /** Ends what this process does at the queue. Jobs stay. */
  close(): Promise<void>;
}
