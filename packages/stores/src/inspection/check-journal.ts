import {
  canonicalJson,
  firstBrokenEntry,
  type JournalEntry,
  type JournalRecord,
  MerkleTree,
  merkleLeafOf,
  parseJson,
  type ThreadId,
} from "@threadfold/core";
import { checkpointSchema } from "../audit/checkpoint-schema.ts";
import { signatureProblem } from "../audit/checkpoint-signature.ts";
import { isKeyedDigest } from "../rules/keyed-digest.ts";
import type { CheckedLog } from "./check-entries.ts";
import type { Problem } from "./store-finding.ts";
import type { StoredJournalEntry } from "./stored-rows.ts";

/** What is known of a journal once it was checked. */
export interface CheckedJournal {
  readonly problem: Problem;
  /** The entries before the first bad one. */
  readonly entries: readonly JournalEntry[];
}

/** Follows a journal's chain from its start. */
export async function checkJournal(
  threadId: ThreadId,
  rows: AsyncIterable<StoredJournalEntry>,
): Promise<CheckedJournal> {
  const entries: JournalEntry[] = [];
  let unreadable: Problem = null;
  for await (const { record, ...rest } of rows) {
    const parsed = parseRecord(record);
    if (parsed === null) {
      unreadable = { at: rest.sequence, problem: "its record cannot be read" };
      break;
    }
    entries.push({ ...rest, threadId, record: parsed });
  }
  const broken = firstBrokenEntry(entries);
  if (broken === null) return { problem: checkpointProblem(entries) ?? unreadable, entries };
  return { problem: { at: broken.sequence, problem: broken.reason }, entries: entries.slice(0, broken.sequence - 1) };
}

/** Holds the checkpoints of an unbroken journal against what it was when they were made. */
function checkpointProblem(entries: readonly JournalEntry[]): Problem {
  const tree = new MerkleTree();
  for (const { sequence, record, hash } of entries) {
    if (record.type === "checkpoint-made") {
      const parsed = checkpointSchema.safeParse(record.checkpoint);
      if (!parsed.success || parsed.data.size > tree.size || tree.root(parsed.data.size) !== parsed.data.rootHash)
        return { at: sequence, problem: "its checkpoint is not of this journal" };
      const signature = signatureProblem(parsed.data);
      if (signature !== null) return { at: sequence, problem: `its checkpoint does not hold: ${signature}` };
    }
    tree.append(merkleLeafOf(hash));
  }
  return null;
}

/**
 * Holds a log against what the journal recorded of it. A chain shows what was changed within it; only a record made
 * elsewhere shows that its end was cut off.
 */
export function checkLogAgainstJournal(log: CheckedLog, journal: readonly JournalEntry[]): Problem {
  const entries = log.links.length - 1;
  for (const { sequence, record: kept } of journal) {
    const record = kept.type === "checkpoint-made" ? kept.checkpoint : kept;
    if (!("threadVersion" in record)) continue;
    if (record.threadVersion > entries) {
      return {
        at: entries + 1,
        problem: `it is missing: journal entry ${sequence} speaks of version ${record.threadVersion}`,
      };
    }
    const digest = "threadDigest" in record ? record.threadDigest : undefined;
    if (digest !== undefined && !isKeyedDigest(digest) && log.links[record.threadVersion] !== digest) {
      return {
        at: record.threadVersion,
        problem: `the thread's digest there is not the one of journal entry ${sequence}`,
      };
    }
  }
  return null;
}

/** Holds plans against what the journal recorded of them, for the same reason. */
export function checkPlansAgainstJournal(planIds: readonly string[], journal: readonly JournalEntry[]): Problem {
  for (const { sequence, record: kept } of journal) {
    const record = kept.type === "checkpoint-made" ? kept.checkpoint : kept;
    if (!("planVersion" in record)) continue;
    const { planVersion } = record;
    if (planVersion > planIds.length) {
      return {
        at: planIds.length + 1,
        problem: `it is missing: journal entry ${sequence} speaks of version ${planVersion}`,
      };
    }
    const planId = "planId" in record ? record.planId : undefined;
    if (planId !== undefined && !isKeyedDigest(planId) && planIds[planVersion - 1] !== planId)
      return { at: planVersion, problem: `it is not the plan of journal entry ${sequence}` };
  }
  return null;
}

function parseRecord(text: string): JournalRecord | null {
  try {
    const record = parseJson(text);
    return typeof record === "object" && record !== null && canonicalJson(record) === text
      ? (record as JournalRecord)
      : null;
  } catch {
    return null;
  }
}
