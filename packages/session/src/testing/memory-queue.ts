import {
  type CompactionJob,
  type CompactionQueue,
  compactionJobKey,
  type DeadCompactionJob,
  type JobDelivery,
  type JobProblem,
  type JobSettlement,
} from "../queue/compaction-queue.ts";

interface Entry {
  readonly job: CompactionJob;
  attempt: number;
  isActive: boolean;
}

/**
 * Creates an in-process compaction queue that follows the rules of a real one, to test the code on either side of it.
 */
export function memoryQueue({ attempts = 3 }: { readonly attempts?: number } = {}) {
  const entries = new Map<string, Entry>();
  const dead: DeadCompactionJob[] = [];
  const asked: CompactionJob[] = [];
  const under = new Set<Promise<void>>();
  let handler: ((delivery: JobDelivery) => Promise<JobSettlement>) | undefined;
  let room = 0;

  const settle = (key: string, entry: Entry, settlement: JobSettlement): void => {
    entry.isActive = false;
    if (settlement.status === "retry" && entry.attempt < attempts) return;
    entries.delete(key);
    if (settlement.status !== "done") bury(entry, settlement.problem);
  };
  const bury = ({ job, attempt }: Entry, problem: JobProblem): void => {
    dead.unshift({ job, attempts: attempt, problem, diedAt: new Date(0).toISOString() });
  };
  const deliver = async (key: string, entry: Entry): Promise<void> => {
    const handle = handler;
    if (handle === undefined) return;
    entry.isActive = true;
    entry.attempt++;
    const isLastAttempt = entry.attempt === attempts;
    const { signal } = new AbortController();
    settle(key, entry, await handle({ job: entry.job, attempt: entry.attempt, isLastAttempt, signal }));
  };
  const pump = (): void => {
    for (const [key, entry] of entries) {
      if (entry.isActive || handler === undefined || under.size >= room) continue;
      const delivering = deliver(key, entry).finally(() => {
        under.delete(delivering);
        pump();
      });
      under.add(delivering);
    }
  };

  const queue: CompactionQueue = {
    enqueue: async (job) => {
      asked.push(job);
      const key = compactionJobKey(job);
      if (entries.has(key)) return "in-flight";
      entries.set(key, { job, attempt: 0, isActive: false });
      pump();
      return "enqueued";
    },
    work: async (handle, { concurrency }) => {
      handler = handle;
      room = concurrency;
      pump();
      return {
        stop: async () => {
          handler = undefined;
          await Promise.all(under);
        },
      };
    },
    isInFlight: async (thread) => entries.has(compactionJobKey(thread)),
    deadJobs: async () => [...dead],
    close: async () => undefined,
  };
  /** Waits until no job is in progress. */
  const idle = async (): Promise<void> => {
    while (under.size > 0) await Promise.all(under);
  };
  return { queue, asked, idle };
}
