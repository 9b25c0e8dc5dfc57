/** What `THREADFOLD_PROPERTY_SCALE` is in the full test run. */
const FULL_SCALE = 20;

/**
 * How often something is tried: `count` times in the tests of every day, `full` times in the full test run, and as far
 * between or beyond the two as `THREADFOLD_PROPERTY_SCALE` says, which is 1 on every day and 20 in the full run. A
 * property that fails prints the seed that reproduces it.
 *
 * @param full twenty times `count` by default.
 */
export function runs(count: number, full: number = FULL_SCALE * count): { readonly numRuns: number } {
  const scale = testScale();
  const more = ((full - count) * (scale - 1)) / (FULL_SCALE - 1);
  return { numRuns: Math.max(1, Math.round(scale < 1 ? count * scale : count + more)) };
}

/** True when more is asked for than on every day: then tests that take samples of something finite take all of it. */
export const isThorough = (): boolean => testScale() > 1;

/** How long a test may take before it counts as one that never ends, however busy the machine is: fifteen minutes. */
const LEAST_PATIENCE_MS = 900_000;
/** In a full run, which other work may slow down as much: two hours, which no part of one takes as a whole. */
const LEAST_FULL_PATIENCE_MS = 7_200_000;

/**
 * How long a test may take, in milliseconds: this long, or as much longer as it tries more often, and never less than fifteen
 * minutes, or two hours where it tries more often. For tests that take their time even when nothing else runs.
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

/** Rounds of which the best one counts: what disturbs a measurement only ever makes it longer. */
const ROUNDS = 3;

/**
 * How many times as much of the processor's time a piece of work takes when its input is four times as long: about 4 for
 * linear work and about 16 for quadratic work, however fast the machine is and whatever else runs on it.
 *
 * @param size of the shorter input; large enough for the work to take some milliseconds.
 */
export async function growthOnQuadrupling<Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const [short, long] = [inputOf(size), inputOf(4 * size)];
  await work(short);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    least = Math.min(least, await timeOf(() => work(short)));
    most = Math.min(most, await timeOf(() => work(long)));
  }
  return most / Math.max(1, least);
}

/** Microseconds of the processor, so that a machine that is busy with others counts as much as one that is not. */
async function timeOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/**
 * CPU time that this process has used so far, in milliseconds. Tests of how work grows take its differences: they are the
 * same on a machine that is busy with other things, which times of a clock are not.
 */
export function cpuTimeMs(): number {
  const { user, system } = (globalThis as unknown as { process: Usage }).process.cpuUsage();
  return (user + system) / 1_000;
}

interface Usage {
  /** In microseconds. */
  cpuUsage(): { readonly user: number; readonly system: number };
}
