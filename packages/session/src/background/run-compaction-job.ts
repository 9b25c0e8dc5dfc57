import { type CompactionOutcome, ThreadfoldError, type ThreadfoldStore, withinLimit } from "@threadfold/core";
import { threadfoldPreset } from "@threadfold/strategies";
import { ContextSession } from "../context-session.ts";
import { problemOf } from "../events/problem-of.ts";
import { untilGivenUp } from "../given-up.ts";
import type { SessionOptions } from "../session-options.ts";
import type { CompactionJob } from "./compaction-job.ts";
import type { JobProblem, JobSettlement } from "./compaction-queue.ts";
import { foldsAhead } from "./folds-ahead.ts";
import { recordedScene } from "./recorded-scene.ts";

/**
 * What the sessions of a worker are opened with: the agent's own policy, counter and summarizer. Format, model, system text
 * and tools are read from the journal where the agent has recorded a request.
 */
export type WorkerSessionOptions = Omit<SessionOptions, "threadId" | "tenantId" | "store" | "background">;

/** What a job is done with. */
export interface JobPorts {
  /** Opens the store of a tenant; it is closed when the job is done. */
  readonly openStore: (tenantId: string | null) => Promise<ThreadfoldStore>;
  readonly session:
    | WorkerSessionOptions
    | ((job: CompactionJob) => WorkerSessionOptions | Promise<WorkerSessionOptions>);
  /** How long `openStore`, `session` and closing the store may take, in milliseconds each. 30 000 by default. */
  readonly portTimeLimitMs?: number;
}

const PORT_TIME_LIMIT_MS = 30_000;

/**
 * Folds a job's thread ahead of need and commits by compare-and-set. Never throws: what fails is said in the settlement. It
 * always ends: each wait has a limit, and what does not hear its signal is given up.
 */
export async function runCompactionJob(
  job: CompactionJob,
  ports: JobPorts,
  signal: AbortSignal,
): Promise<JobSettlement> {
  try {
    return await untilGivenUp(() => foldInStore(job, ports, signal), signal);
  } catch (cause) {
    return failure(cause);
  }
}

async function foldInStore(job: CompactionJob, ports: JobPorts, signal: AbortSignal): Promise<JobSettlement> {
  const store = await within(ports, "openStore", () => ports.openStore(job.tenantId));
  try {
    return await fold(job, ports, store, signal);
  } finally {
    await within(ports, "the store's close", () => store.close());
  }
}

const within = <Result>(ports: JobPorts, waitedFor: string, work: () => Result | Promise<Result>): Promise<Result> =>
  withinLimit(work, {
    ...{ milliseconds: ports.portTimeLimitMs ?? PORT_TIME_LIMIT_MS, waitedFor, option: "portTimeLimitMs" },
    timers: globalThis,
  });

async function fold(
  job: CompactionJob,
  ports: JobPorts,
  store: ThreadfoldStore,
  signal: AbortSignal,
): Promise<JobSettlement> {
  const { threadId, tenantId, maxInputTokens, softThreshold } = job;
  const { session: options } = ports;
  const given = typeof options === "function" ? await within(ports, "session", () => options(job)) : options;
  const session = await ContextSession.open({
    ...given,
    ...(await recordedScene(store, threadId)),
    threadId,
    tenantId,
    store,
    preset: foldsAhead(given.preset ?? threadfoldPreset, softThreshold),
    config: { ...given.config, maxInputTokens },
  });
  const found = session.plan.version;
  const outcome = await session.compactInBackground({ signal }).done;
  return settlementOf(job, outcome, found, session.plan.version);
}

function settlementOf(
  job: CompactionJob,
  outcome: CompactionOutcome,
  found: number,
  planVersion: number,
): JobSettlement {
  const done = { outcome: outcome.type, planVersion };
  switch (outcome.type) {
    case "committed":
    case "summarizer-failed-floor-used":
      return { status: "done", result: { type: "committed", ...done } };
    case "conflict":
      return { status: "done", result: { type: "conflict", ...done } };
    case "failed":
      return failure(outcome.cause);
    case "aborted":
      return { status: "retry", problem: { kind: "failed", code: "ABORTED", message: "The worker was stopped." } };
    default:
      return { status: "done", result: { type: found > job.planVersion ? "already-committed" : "nothing", ...done } };
  }
}

/** What cannot get better by itself is not tried again. */
function failure(cause: unknown): JobSettlement {
  const isOurs = ThreadfoldError.isInstance(cause);
  const problem: JobProblem = { kind: "failed", code: isOurs ? cause.code : null, message: problemOf(cause) };
  return { status: isOurs && !cause.retryable ? "dead" : "retry", problem };
}
