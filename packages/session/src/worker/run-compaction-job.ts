import {
  type CompactionOutcome,
  type JournalEntry,
  problemOf,
  summaryRoleSchema,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  withinLimit,
} from "@threadfold/core";
import { formatById, type ProviderFormat } from "@threadfold/renderer";
import { threadfoldPreset } from "@threadfold/strategies";
import { parseFrame } from "@threadfold/turn";
import { foldsAhead } from "../fold/worker-folds.ts";
import type { SessionOptions } from "../host/session-options.ts";
import { journalTail } from "../journal/session-past.ts";
import { ContextSession } from "../loop/context-session.ts";
import type { CompactionJob, JobProblem, JobSettlement } from "../queue/compaction-queue.ts";
import { untilGivenUp } from "../waits/turn-queue.ts";

/**
 * Options of a worker's sessions: the agent's own policy, tokenizer and summarizer. If the agent has recorded a
 * request, format, model, system text and tools are read from the journal; a custom format must be given here as well.
 */
export type WorkerSessionOptions = Omit<SessionOptions, "threadId" | "tenantId" | "store" | "background">;

/** What running a job depends on. */
export interface JobPorts {
  /** Opens the store of a tenant; the store is closed when the job is done. */
  readonly openStore: (tenantId: string | null) => Promise<ThreadfoldStore>;
  readonly session:
    | WorkerSessionOptions
    | ((job: CompactionJob) => WorkerSessionOptions | Promise<WorkerSessionOptions>);
  /** Time limit for `openStore`, `session` and closing the store, in milliseconds each. 30 000 by default. */
  readonly portTimeLimitMs?: number;
}

const PORT_TIME_LIMIT_MS = 30_000;

/**
 * Folds a job's thread ahead of need and commits with compare-and-set. Never throws: failures are in the settlement.
 * Always ends: each wait has a limit, and work that ignores its signal is abandoned.
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
    ...(await recordedRequest(store, threadId, given.format)),
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

/** Returns the settlement of a failed job: an error that a retry cannot fix is not retried. */
function failure(cause: unknown): JobSettlement {
  const isOurs = ThreadfoldError.isInstance(cause);
  const problem: JobProblem = { kind: "failed", code: isOurs ? cause.code : null, message: problemOf(cause) };
  return { status: isOurs && !cause.retryable ? "dead" : "retry", problem };
}

/** Journal entries to read: between two requests there are an append, a usage report and at most a few folds. */
const LOOKED_AT = 64;

/** What a request is made from in addition to thread, plan and policy. */
type RecordedRequest = Pick<SessionOptions, "format" | "model" | "summaryRole" | "frame">;

/**
 * Reads from the journal what the newest request of a thread was made from, so that a worker measures and folds for the
 * same provider, model, system text and tools as the agent. Empty for a thread without a recorded request.
 *
 * @throws ThreadfoldError `STORE_CORRUPT`, or what the store throws.
 */
async function recordedRequest(
  store: ThreadfoldStore,
  threadId: ThreadId,
  own: ProviderFormat | undefined,
): Promise<RecordedRequest> {
  const record = newestRequest(await journalTail(store.journal, threadId, LOOKED_AT));
  if (record === undefined) return {};
  const { format, frame, options } = record;
  const kept = await store.artifacts.retrieve(frame);
  const { summaryRole, model } = options;
  return {
    format: formatById(format, own === undefined ? [] : [own]),
    summaryRole: summaryRoleSchema.parse(summaryRole),
    ...(typeof model === "string" && { model }),
    ...(kept !== null && { frame: parseFrame(kept.content) }),
  };
}

function newestRequest(entries: readonly JournalEntry[]) {
  const record = entries.findLast((entry) => entry.record.type === "request-rendered")?.record;
  return record?.type === "request-rendered" ? record : undefined;
}
