import { type ChildProcess, fork } from "node:child_process";
import { workerScript } from "./peers-install.ts";
import { type Job, replayName, type WorkerMessage } from "./peers-worker.ts";

/** The longest that one replay may take, in milliseconds, even on a busy machine; then it is killed and given up. */
const LONGEST_REPLAY = 1_800_000;
/** Number of characters kept from the end of a worker's stderr. */
const LAST_WORDS = 2_000;

/** A replay that was given up. */
export interface GivenUp {
  readonly policy: string;
  readonly budget: number;
  readonly session: string;
  readonly reason: string;
}

export interface PoolOptions {
  readonly processes: number;
  readonly signal?: AbortSignal;
  readonly onMessage: (job: Job, message: WorkerMessage) => void;
  readonly onGivenUp: (given: GivenUp) => void;
}

/** Runs the jobs in worker processes. A replay that hangs or crashes is given up, and the rest of its job continues. */
export async function runJobs(jobs: readonly Job[], options: PoolOptions): Promise<void> {
  const queue = [...jobs];
  const lane = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      let rest: Job | null = job;
      while (rest !== null) rest = await runJob(rest, options);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.processes, jobs.length) }, lane));
}

/** Runs a job in a separate process. Returns the rest of the job if one of its replays was given up. */
function runJob(job: Job, { signal, onMessage, onGivenUp }: PoolOptions): Promise<Job | null> {
  signal?.throwIfAborted();
  const child = startWorker();
  const finished: string[] = [];
  let running: { readonly policy: string; readonly budget: number } | null = null;
  let words = "";
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): unknown => child.kill("SIGKILL");
  signal?.addEventListener("abort", interrupt, { once: true });
  child.stderr?.on("data", (text: Buffer) => {
    words = (words + text.toString("utf8")).slice(-LAST_WORDS);
  });
  child.on("message", (message: WorkerMessage) => {
    clearTimeout(timer);
    if (message.type === "begins") {
      running = message;
      timer = setTimeout(() => {
        words = `took longer than ${LONGEST_REPLAY / 1_000} s`;
        child.kill("SIGKILL");
      }, LONGEST_REPLAY);
    }
    if (message.type === "replay") {
      finished.push(replayName(message.replay.policy, message.replay.budgetTokens));
      running = null;
    }
    if (message.type === "done") {
      isDone = true;
      child.disconnect();
    } else onMessage(job, message);
  });
  child.send(job);
  return new Promise((resolve, reject) => {
    child.on("exit", () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", interrupt);
      if (signal?.aborted) return reject(signal.reason);
      if (isDone) return resolve(null);
      if (running === null) return reject(new Error(`A worker exited while it read ${job.file.name}: ${words}`));
      const { policy, budget } = running;
      onGivenUp({ policy, budget, session: job.file.name, reason: words.trim() || "its process ended" });
      resolve({ ...job, without: [...job.without, ...finished, replayName(policy, budget)] });
    });
  });
}

function startWorker(): ChildProcess {
  return fork(workerScript("compare-worker.ts", "peers-worker.ts"), [], {
    execArgv: ["--conditions=threadfold-source", "--max-old-space-size=6144"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, ...QUIET },
  });
}

/** Switches off the telemetry of peers that have any. */
const QUIET = {
  DO_NOT_TRACK: "1",
  OTEL_SDK_DISABLED: "true",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
  MASTRA_TELEMETRY_DISABLED: "1",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  OPENAI_AGENTS_DONT_LOG_MODEL_DATA: "1",
  OPENAI_AGENTS_DONT_LOG_TOOL_DATA: "1",
};
