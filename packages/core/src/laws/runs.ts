/**
 * How often a property is tried: `count` times, or so many times more as `THREADFOLD_PROPERTY_SCALE` says. The full test
 * run sets it; a failure prints the seed that reproduces it.
 */
export function runs(count: number): { readonly numRuns: number } {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
  const scale = Number(environment["THREADFOLD_PROPERTY_SCALE"] ?? 1);
  return { numRuns: Math.max(1, Math.round(count * (Number.isFinite(scale) && scale > 0 ? scale : 1))) };
}

/**
 * How long a test may take, in milliseconds: so long, or as much longer as it tries more often. For tests that take their
 * time even when nothing else runs.
 */
export const patience = (ms: number): number => Math.max(ms, runs(ms).numRuns);
