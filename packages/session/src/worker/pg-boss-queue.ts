import { checkArgument, checkCalls, checkTimeLimit, problemOf, ThreadfoldError, withinLimit } from "@threadfold/core";
import { type JobResult as BossResult, type JobWithMetadata, PgBoss } from "pg-boss";
import {
  type CompactionJob,
  type CompactionQueue,
  compactionJobKey,
  type DeadCompactionJob,
  type JobDelivery,
  type JobProblem,
  type JobSettlement,
  parseCompactionJob,
  queueTimedOut,
} from "../queue/compaction-queue.ts";

/** Options of a queue on PostgreSQL: with a connection string, or with a pg-boss instance that the host has started. */
export type PgBossQueueOptions = (
  | {
      readonly connectionString: string;
      /** The schema of pg-boss's own tables; `threadfold_queue` by default. Created if it does not exist. */
      readonly schema?: string;
      /** Called with problems that occur outside of a call, such as a lost connection; pg-boss recovers on its own. */
      readonly onProblem?: (problem: string) => void;
    }
  | { readonly boss: PgBoss }
) & {
  /** Name of the queue; `threadfold-compaction` by default. Jobs that were given up go to `<name>-dead`. */
  readonly name?: string;
  /** Maximum number of attempts for a job. 5 by default. */
  readonly attempts?: number;
  /** Delay before a job is retried, in seconds, growing with each attempt. 2 by default. */
  readonly retryDelaySeconds?: number;
  /** How long a worker may be silent before its job goes to another one, in seconds; at least 10, and 20 by default. */
  readonly heartbeatSeconds?: number;
  /** Time limit for one attempt, in seconds. 900 by default. */
  readonly expireInSeconds?: number;
  /** Polling interval of a worker that found no job, in seconds; at least 0.5, and 1 by default. */
  readonly pollSeconds?: number;
  /** Time limit for one database call, in milliseconds; 30 000 by default. */
  readonly callTimeLimitMs?: number;
};

interface QueueFigures {
  readonly attempts: number;
  readonly retryDelaySeconds: number;
  readonly heartbeatSeconds: number;
  readonly expireInSeconds: number;
  readonly pollSeconds: number;
  readonly callTimeLimitMs: number;
}

const SCHEMA = "threadfold_queue";
const NAME = "threadfold-compaction";
const LONGEST_RETRY_DELAY_SECONDS = 300;
/** The states of a job that is not settled. */
const IN_FLIGHT: ReadonlySet<string> = new Set(["created", "retry", "active"]);
/** How long settled jobs are kept: one day, because the journal permanently records everything that they say. */
const KEPT_SECONDS = 86_400;

/**
 * Creates a compaction queue in PostgreSQL, based on pg-boss, for agents and workers in different processes. It
 * connects when it is first used, and may be in another database than the stores. At most one job per tenant and thread
 * is waiting or in progress, whoever requests it.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for invalid options.
 */
export function pgBossQueue(options: PgBossQueueOptions): CompactionQueue {
  checkArgument("options", options, "object");
  if ("boss" in options) checkCalls("boss", options.boss, ["send", "work"], "Pass an instance of pg-boss.");
  else checkArgument("connectionString", options.connectionString, "text");
  const name = checked(options.name ?? NAME, "name", /^[\w.-]{1,60}$/);
  return new PgBossQueue(options, name, figuresOf(options));
}

class PgBossQueue implements CompactionQueue {
  readonly #options: PgBossQueueOptions;
  readonly #name: string;
  readonly #dead: string;
  readonly #figures: QueueFigures;
  readonly #create: () => PgBoss;
  #starting: Promise<PgBoss> | undefined;
  #isClosed = false;

  constructor(options: PgBossQueueOptions, name: string, figures: QueueFigures) {
    this.#options = options;
    this.#name = name;
    this.#dead = `${name}-dead`;
    this.#figures = figures;
    if ("boss" in options) this.#create = () => options.boss;
    else {
      const schema = checked(options.schema ?? SCHEMA, "schema", /^[a-z_][a-z0-9_]{0,49}$/);
      this.#create = () => connected(options.connectionString, schema, figures, options.onProblem);
    }
  }

  enqueue(job: CompactionJob): Promise<"enqueued" | "in-flight"> {
    const { attempts, retryDelaySeconds, heartbeatSeconds, expireInSeconds } = this.#figures;
    return this.#use(async (boss) => {
      const id = await boss.send(this.#name, job, {
        singletonKey: compactionJobKey(job),
        retryLimit: attempts - 1,
        retryDelay: retryDelaySeconds,
        retryBackoff: true,
        retryDelayMax: LONGEST_RETRY_DELAY_SECONDS,
        heartbeatSeconds,
        expireInSeconds,
        deleteAfterSeconds: KEPT_SECONDS,
      });
      return id === null ? "in-flight" : "enqueued";
    });
  }

  work(handle: (delivery: JobDelivery) => Promise<JobSettlement>, { concurrency }: { readonly concurrency: number }) {
    const name = this.#name;
    // Separate workers with one job each, because pg-boss notifies only the first of several workers under one id.
    return this.#use(async (boss) => {
      const ids = await Promise.all(Array.from({ length: concurrency }, () => this.#lane(boss, handle)));
      const stop = async (): Promise<void> => {
        await Promise.all(ids.map((id) => boss.offWork(name, { id, wait: true })));
      };
      return { stop };
    });
  }

  /** Runs jobs one after the other, and waits for the polling interval only when there was none. */
  #lane(boss: PgBoss, handle: (delivery: JobDelivery) => Promise<JobSettlement>): Promise<string> {
    const id = boss.work(
      this.#name,
      {
        batchSize: 1,
        pollingIntervalSeconds: this.#figures.pollSeconds,
        includeMetadata: true,
        perJobResults: true,
      },
      async (jobs: JobWithMetadata<unknown>[]) => {
        const results = await Promise.all(jobs.map((job) => settled(job, handle)));
        boss.notifyWorker(await id);
        return results;
      },
    );
    return id;
  }

  isInFlight(thread: Pick<CompactionJob, "tenantId" | "threadId">): Promise<boolean> {
    return this.#use(async (boss) => {
      const found = await boss.findJobs<unknown>(this.#name, { key: compactionJobKey(thread) });
      return found.some(({ state }) => IN_FLIGHT.has(state));
    });
  }

  deadJobs(): Promise<readonly DeadCompactionJob[]> {
    return this.#use(async (boss) => {
      const found = await boss.findJobs<unknown>(this.#dead);
      return found.map(deadJob).sort((a, b) => (a.diedAt < b.diedAt ? 1 : -1));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const boss = await this.#inTime(async () => this.#starting).catch(() => undefined);
    if (boss !== undefined && !("boss" in this.#options)) await this.#inTime(() => boss.stop({ graceful: true }));
  }

  async #use<Result>(work: (boss: PgBoss) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new ThreadfoldError("QUEUE_UNAVAILABLE", "The compaction queue is closed.");
    try {
      const starting = (this.#starting ??= this.#start());
      const boss = await this.#inTime(() => starting).catch((error: unknown) => {
        // The next call tries again, with new connections.
        if (this.#starting === starting) this.#starting = undefined;
        throw error;
      });
      return await this.#inTime(() => work(boss));
    } catch (cause) {
      if (ThreadfoldError.isInstance(cause)) throw cause;
      // A driver's message may contain an address, so only the error's name and code are reported.
      throw new ThreadfoldError("QUEUE_UNAVAILABLE", `The compaction queue did not answer: ${problemOf(cause)}.`, {
        cause,
      });
    }
  }

  #inTime<Result>(work: () => Promise<Result>): Promise<Result> {
    const { callTimeLimitMs: milliseconds } = this.#figures;
    const waitedFor = "the database of the compaction queue";
    return withinLimit(work, {
      ...{ milliseconds, waitedFor, option: "callTimeLimitMs", timers: globalThis, late: queueTimedOut },
    });
  }

  async #start(): Promise<PgBoss> {
    const boss = this.#create();
    const isOwn = !("boss" in this.#options);
    try {
      if (isOwn) await boss.start();
      await boss.createQueue(this.#dead);
      await boss.createQueue(this.#name, { policy: "exclusive", deadLetter: this.#dead });
      return boss;
    } catch (error) {
      if (isOwn) await boss.stop({ graceful: false }).catch(() => undefined);
      throw error;
    }
  }
}

function connected(
  connectionString: string,
  schema: string,
  { heartbeatSeconds }: QueueFigures,
  onProblem?: (problem: string) => void,
): PgBoss {
  const superviseIntervalSeconds = Math.ceil(heartbeatSeconds / 2);
  const boss = new PgBoss({
    connectionString,
    schema,
    application_name: "threadfold-compaction",
    max: 4,
    connectionTimeoutMillis: 5_000,
    schedule: false,
    superviseIntervalSeconds,
    monitorIntervalSeconds: superviseIntervalSeconds,
  });
  boss.on("error", (error) => onProblem?.(problemOf(error)));
  return boss;
}

/** Runs one job, and returns how it ended in pg-boss's terms. The stored output has no content and no stack trace. */
async function settled(
  { id, data, retryCount, retryLimit, signal }: JobWithMetadata<unknown>,
  handle: (delivery: JobDelivery) => Promise<JobSettlement>,
): Promise<BossResult> {
  try {
    const job = parseCompactionJob(data);
    const settlement = await handle({ job, attempt: retryCount + 1, isLastAttempt: retryCount >= retryLimit, signal });
    if (settlement.status === "done") return { id, status: "completed", output: settlement.result };
    return { id, status: settlement.status === "dead" ? "deadletter" : "failed", output: settlement.problem };
  } catch (cause) {
    const isOurs = ThreadfoldError.isInstance(cause);
    const problem: JobProblem = { kind: "failed", code: isOurs ? cause.code : null, message: problemOf(cause) };
    return { id, status: isOurs && !cause.retryable ? "deadletter" : "failed", output: problem };
  }
}

function deadJob({ data, sourceRetryCount, sourceOutput, createdOn }: JobWithMetadata<unknown>): DeadCompactionJob {
  return {
    job: jobIn(data),
    attempts: (sourceRetryCount ?? 0) + 1,
    problem: isProblem(sourceOutput) ? sourceOutput : WORKER_LOST,
    diedAt: createdOn.toISOString(),
  };
}

function jobIn(data: unknown): CompactionJob | null {
  try {
    return parseCompactionJob(data);
  } catch {
    return null;
  }
}

/** Replaces what pg-boss itself writes, which only says that the job was no longer answered for. */
const WORKER_LOST: JobProblem = {
  kind: "worker-lost",
  code: null,
  message: "Its worker ended or took too long, at every try.",
};

const isProblem = (output: unknown): output is JobProblem =>
  typeof output === "object" && output !== null && "kind" in output && "code" in output && "message" in output;

function figuresOf(options: PgBossQueueOptions): QueueFigures {
  const {
    attempts = 5,
    retryDelaySeconds = 2,
    heartbeatSeconds = 20,
    expireInSeconds = 900,
    pollSeconds = 1,
    callTimeLimitMs = 30_000,
  } = options;
  checkTimeLimit("callTimeLimitMs", callTimeLimitMs);
  between("attempts", attempts, 1, 100);
  between("retryDelaySeconds", retryDelaySeconds, 0, LONGEST_RETRY_DELAY_SECONDS);
  between("heartbeatSeconds", heartbeatSeconds, 10, 3_600);
  between("expireInSeconds", expireInSeconds, 1, 86_400);
  if (!(pollSeconds >= 0.5 && pollSeconds <= 3_600))
    throw new ThreadfoldError("INVALID_CONFIG", "pollSeconds has to be from 0.5 to 3600.");
  return { attempts, retryDelaySeconds, heartbeatSeconds, expireInSeconds, pollSeconds, callTimeLimitMs };
}

function between(option: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new ThreadfoldError("INVALID_CONFIG", `${option} has to be a whole number from ${least} to ${most}.`);
}

function checked(value: string, option: string, pattern: RegExp): string {
  if (pattern.test(value)) return value;
  throw new ThreadfoldError("INVALID_CONFIG", `${option} has to match ${pattern.source}.`);
}
