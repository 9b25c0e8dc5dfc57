/** What `THREADFOLD_PROPERTY_SCALE` is in the full test run. */
const FULL_SCALE = 20;

/**
 * How often something is tried: `count` times in the tests of every day, `full` times in the full test run, and so much
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

/**
 * How long a test may take, in milliseconds: so long, or as much longer as it tries more often, and never less than fifteen
 * minutes. For tests that take their time even when nothing else runs.
 *
 * @param fullMs twenty times `ms` by default.
 */
export const patience = (ms: number, fullMs?: number): number =>
  Math.max(LEAST_PATIENCE_MS, ms, runs(ms, fullMs).numRuns);

function testScale(): number {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
  const scale = Number(environment["THREADFOLD_PROPERTY_SCALE"] ?? 1);
  return Number.isFinite(scale) && scale > 0 ? scale : 1;
}
