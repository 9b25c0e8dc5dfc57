import type { SessionEntry } from "@earendil-works/pi-coding-agent";

/** The branch of a pi session that a compaction is for, as the log that an importer reads. */
export interface BranchLog {
  /** JSON lines: the header, then the entries from the root to the newest one. */
  readonly text: string;
  /** The line of an entry, from 1; undefined when the branch does not have it. */
  readonly lineOf: (entryId: string) => number | undefined;
}

/** The version of logs whose entries have ids; in memory pi has no older ones. */
const VERSION = 3;

/**
 * Writes a branch down without the compactions that Threadfold supplied: they show a plan that the session's own store
 * has, and what they stand for is in the branch. Compactions of others stay, for nobody else knows them.
 */
export function branchLog(sessionId: string, entries: readonly SessionEntry[]): BranchLog {
  const kept: SessionEntry[] = [];
  for (const entry of entries) if (!isOwnFold(entry)) kept.push({ ...entry, parentId: kept.at(-1)?.id ?? null });
  const header = { type: "session", version: VERSION, id: sessionId, timestamp: kept[0]?.timestamp ?? "", cwd: "" };
  const lines = new Map(kept.map(({ id }, index) => [id, index + 2]));
  return {
    text: `${[header, ...kept].map((line) => JSON.stringify(line)).join("\n")}\n`,
    lineOf: (entryId) => lines.get(entryId),
  };
}

function isOwnFold(entry: SessionEntry): boolean {
  const details = entry.type === "compaction" ? entry.details : undefined;
  return typeof details === "object" && details !== null && "threadfold" in details;
}
