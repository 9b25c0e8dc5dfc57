import { type CompactionPlan, hiddenRuns, outlineOf, planRecords } from "@threadfold/core";

/** Entries of a log: those behind one version up to another. */
export interface VersionRange {
  readonly fromVersion: number;
  readonly toVersion: number;
}

/**
 * The entries up to a plan's thread version that a prompt needs, in order: all that stand outside of what the plan takes
 * out; the first message of each span that it takes out, where something else is shown in its place; every pin and
 * lifting; and the newest entry.
 *
 * @param pinVersions the thread's versions with each of its pins and liftings, ascending.
 */
export function shownRanges(plan: CompactionPlan, pinVersions: readonly number[]): readonly VersionRange[] {
  const starts = planRecords(plan).flatMap(({ span }) => outlineOf(span)?.runs[0]?.fromVersion ?? []);
  const single = [...new Set([...starts, ...pinVersions, plan.threadVersion])].sort((a, b) => a - b);
  const runs = hiddenRuns(plan).toSorted((a, b) => a.fromVersion - b.fromVersion);
  const ranges: { fromVersion: number; toVersion: number }[] = [];
  const add = (fromVersion: number, toVersion: number): void => {
    const last = ranges.at(-1);
    if (toVersion <= fromVersion) return;
    if (last?.toVersion === fromVersion) last.toVersion = toVersion;
    else ranges.push({ fromVersion, toVersion });
  };
  let reached = 0;
  let next = 0;
  for (const run of runs) {
    add(reached, run.fromVersion - 1);
    for (; next < single.length && (single[next] as number) <= run.toVersion; next++) {
      const version = single[next] as number;
      if (version >= run.fromVersion) add(version - 1, version);
    }
    reached = run.toVersion;
  }
  add(reached, plan.threadVersion);
  return ranges;
}
