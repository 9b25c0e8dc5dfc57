/** The value of `THREADFOLD_PROPERTY_SCALE` in a full test run. */
const FULL_SCALE = 20;

/**
 * Returns the number of runs of a property: `count` in everyday tests and `full` in a full test run, interpolated by
 * `THREADFOLD_PROPERTY_SCALE`, which is 1 every day and 20 in a full run. A property that fails prints the seed that
 * reproduces it.
 *
 * @param full twenty times `count` by default.
 */
export function runs(count: number, full: number = FULL_SCALE * count): { readonly numRuns: number } {
  const scale = testScale();
  const more = ((full - count) * (scale - 1)) / (FULL_SCALE - 1);
  return { numRuns: Math.max(1, Math.round(scale < 1 ? count * scale : count + more)) };
}

/** True when more than the everyday number of runs is asked for: tests that sample a finite set then take all of it. */
export const isThorough = (): boolean => testScale() > 1;

/** How long a test may take before it counts as hanging, however busy the machine is: fifteen minutes. */
const LEAST_PATIENCE_MS = 900_000;
/** The same in a full run: two hours, more than any part of one takes as a whole. */
const LEAST_FULL_PATIENCE_MS = 7_200_000;

/**
 * Returns a timeout for a test in milliseconds: `ms`, scaled up like its number of runs, but at least fifteen minutes,
 * or two hours in a thorough run. For tests that are slow even when nothing else runs.
 *
 * @param fullMs twenty times `ms` by default.
 */
export const patience = (ms: number, fullMs?: number): number =>
  Math.max(isThorough() ? LEAST_FULL_PATIENCE_MS : LEAST_PATIENCE_MS, ms, runs(ms, fullMs).numRuns);

function testScale(): number {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
  const scale = Number(environment["THREADFOLD_PROPERTY_SCALE"] ?? 1);
  return Number.isFinite(scale) && scale > 0 ? scale : 1;
}

/** The number of rounds, the best of which counts: disturbances only ever make a measurement longer. */
const ROUNDS = 3;
/** The number of rounds while the best of them still looks like more than linear work. */
const DOUBTFUL_ROUNDS = 40;
/** Growth up to this is that of linear work, even if it was disturbed. */
const LINEAR = 6;

/**
 * Returns the factor by which the CPU time of work grows when its input is four times as long: about 4 for linear work
 * and about 16 for quadratic work, however fast or busy the machine is.
 *
 * @param size size of the shorter input; large enough for the work to take a few milliseconds.
 */
export async function growthOnQuadrupling<Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const [short, long] = [inputOf(size), inputOf(4 * size)];
  await work(short);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const growth = (): number => most / Math.max(1, least);
  for (let round = 0; round < ROUNDS || (round < DOUBTFUL_ROUNDS && growth() > LINEAR); round++) {
    // As often as makes up the longer input: on a busy machine, what takes longer is also disturbed more.
    least = Math.min(least, (await timeOf(() => repeat(4, () => work(short)))) / 4);
    most = Math.min(most, await timeOf(() => work(long)));
  }
  return growth();
}

async function repeat(times: number, work: () => unknown): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}

/** Returns the CPU time in microseconds, so that other load on the machine does not count. */
async function timeOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/**
 * Returns the CPU time that this process has used so far, in milliseconds. Tests of how work grows compare differences
 * of it, which, unlike wall-clock times, do not depend on other load on the machine.
 */
export function cpuTimeMs(): number {
  const { user, system } = (globalThis as unknown as { process: Usage }).process.cpuUsage();
  return (user + system) / 1_000;
}

interface Usage {
  /** In microseconds. */
  cpuUsage(): { readonly user: number; readonly system: number };
}
