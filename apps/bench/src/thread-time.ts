/**
 * Processor time of some work in milliseconds of this thread, and the longest stretch in which nothing else could run.
 */
export interface ThreadTime {
  readonly cpuMs: number;
  readonly longestHoldMs: number;
}

/** Runs work while a second task keeps asking for the event loop, which shows how long it had to wait. */
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

/** Returns the processor time of this thread in milliseconds, which other load on the machine does not change. */
function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
