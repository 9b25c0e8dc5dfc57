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
