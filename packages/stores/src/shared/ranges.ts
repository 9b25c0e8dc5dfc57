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

/** The state of a log at one of its versions. */
export interface LogPlace {
  readonly version: number;
  readonly messages: number;
  readonly turn: number;
  readonly step: number;
  /** The thread's digest. */
  readonly link: string;
}

/** A part of a log as stored. */
export interface StoredRange extends VersionRange {
  readonly bodies: readonly string[];
  /** The thread's digest before the range, and after it. */
  readonly before: string;
  readonly after: string;
}

/** Returns the plan in a row, without the ids of what it hides. @throws ThreadfoldError `STORE_CORRUPT`. */
export function outlinedPlan(row: PlanRow, threadId: ThreadId): CompactionPlan {
  return planOf(row, threadId, (body) => (isAbridgedPlan(body) ? parseAbridgedPlan(body) : parsePlan(body)));
}

/** Returns the digest at the place found for a version. @throws ThreadfoldError `STORE_CORRUPT` when it is missing. */
export function linkAt(version: number, place: LogPlace | undefined, threadId: ThreadId): string {
  if (version === 0) return THREAD_CHAIN_START;
  if (place?.version === version) return place.link;
  throw new ThreadfoldError("STORE_CORRUPT", `Entry ${version} of thread ${threadId} is missing.`, {
    details: { threadId, version },
  });
}

/** Returns the entries of a part of a log. @throws ThreadfoldError `STORE_CORRUPT` when their digests do not match. */
export function entriesOf(range: StoredRange): readonly ThreadEntry[] {
  return finishSteps(entriesInSteps(range));
}

/** Does what {@link entriesOf} does, in steps. */
export function entriesInSteps({ bodies, before, after }: StoredRange): Steps<readonly ThreadEntry[]> {
  return restoreRunInSteps(bodies, before, after);
}

/**
 * Resumes a thread from a plan.
 *
 * @param base the state of the log at the plan's thread version.
 * @param shown the parts before it that the prompt needs.
 * @param tail the part after it.
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

/** A range of a log: the entries after `fromVersion`, up to and including `toVersion`. */
export interface VersionRange {
  readonly fromVersion: number;
  readonly toVersion: number;
}

/**
 * Returns the ranges of entries up to a plan's thread version that a prompt needs, in order: everything that the plan
 * does not take out; the first message of each span that it takes out and replaces; every pin and pin lifting; and the
 * newest entry.
 *
 * @param pinVersions the thread versions of its pins and pin liftings, ascending.
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
