/** What work took of the processor, in milliseconds of this thread, and the longest stretch in which nothing else could run. */
export interface ThreadTime {
  readonly cpuMs: number;
  readonly longestHoldMs: number;
}

/** Runs work while something else wants to run as well, which tells for how long it could not. */
export async function threadTime(work: () => unknown): Promise<ThreadTime> {
  let [isRunning, longestHoldMs] = [true, 0];
  let turned = cpuNow();
  const turn = (): void => {
    const now = cpuNow();
    longestHoldMs = Math.max(longestHoldMs, now - turned);
    turned = now;
    if (isRunning) setImmediate(turn);
  };
  const start = cpuNow();
  setImmediate(turn);
  await work();
  const cpuMs = cpuNow() - start;
  isRunning = false;
  await new Promise((resolve) => setImmediate(resolve));
  return { cpuMs, longestHoldMs };
}

/** Milliseconds that this thread has had of the processor, so that a machine that is busy with others says the same. */
function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
