import {
  AgentThread,
  type CompactionPlan,
  finishSteps,
  hiddenRuns,
  isAbridgedPlan,
  outlineOf,
  parseAbridgedPlan,
  parsePlan,
  planRecords,
  restoreRunInSteps,
  type Steps,
  THREAD_CHAIN_START,
  type ThreadEntry,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { type PlanRow, planOf } from "./plans.ts";

/** Where a log stands at one of its versions. */
export interface LogPlace {
  readonly version: number;
  readonly messages: number;
  readonly turn: number;
  readonly step: number;
  /** The thread's digest. */
  readonly link: string;
}

/** A part of a log as it is kept. */
export interface StoredRange extends VersionRange {
  readonly bodies: readonly string[];
  /** The thread's digest before the range and with it. */
  readonly before: string;
  readonly after: string;
}

/** A plan from its row without the ids of what it hides. @throws ThreadfoldError `STORE_CORRUPT`. */
export function outlinedPlan(row: PlanRow, threadId: ThreadId): CompactionPlan {
  return planOf(row, threadId, (body) => (isAbridgedPlan(body) ? parseAbridgedPlan(body) : parsePlan(body)));
}

/** The digest at a place that was looked up for a version. @throws ThreadfoldError `STORE_CORRUPT` when it is not there. */
export function linkAt(version: number, place: LogPlace | undefined, threadId: ThreadId): string {
  if (version === 0) return THREAD_CHAIN_START;
  if (place?.version === version) return place.link;
  throw new ThreadfoldError("STORE_CORRUPT", `Entry ${version} of thread ${threadId} is missing.`, {
    details: { threadId, version },
  });
}

/** The entries of a part of a log. @throws ThreadfoldError `STORE_CORRUPT` when they do not fit the digests around them. */
export function entriesOf(range: StoredRange): readonly ThreadEntry[] {
  return finishSteps(entriesInSteps(range));
}

/** What {@link entriesOf} returns, in steps. */
export function entriesInSteps({ bodies, before, after }: StoredRange): Steps<readonly ThreadEntry[]> {
  return restoreRunInSteps(bodies, before, after);
}

/**
 * A thread that goes on from a plan.
 *
 * @param base where the log stood at the plan's thread version.
 * @param shown the parts before it that the prompt needs.
 * @param tail the part behind it.
 */
export function resumedThread(
  threadId: ThreadId,
  base: LogPlace,
  shown: readonly StoredRange[],
  tail: StoredRange,
): AgentThread {
  const { version, messages, turn, step, link } = base;
  const held = shown.flatMap((range) =>
    entriesOf(range).map((entry, index) => ({ version: range.fromVersion + 1 + index, entry })),
  );
  return AgentThread.resume(
    threadId,
    { version, length: messages, position: { turn, step }, digest: link, held },
    entriesOf(tail),
  );
}

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
