import {
  AgentThread,
  type CompactionPlan,
  type JournalEntry,
  parseJson,
  parsePlan,
  THREAD_CHAIN_START,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { inspectorOf, type StoreFinding } from "@threadfold/stores";
import { erasureIn, type ThreadRecord } from "./thread-record.ts";

/** The record of a thread as rows of text: what an audit file has, and what can be read of a damaged store. */
export interface KeptRows {
  readonly threadId: ThreadId;
  /** Bodies of the log, oldest first, and the thread's digest behind the last of them. */
  readonly bodies: readonly string[];
  readonly digest: string;
  /** Plans as they are serialized, by version. */
  readonly plans: ReadonlyMap<number, string>;
  readonly journal: readonly JournalEntry[];
  /** Contents by the id of their artifact. */
  readonly contents: ReadonlyMap<string, string>;
}

/** A thread's record from rows. What cannot be read of them is left out. */
export function keptRecord(rows: KeptRows, findings: readonly StoreFinding[]): ThreadRecord {
  const { threadId, bodies, digest, plans, journal, contents } = rows;
  const erased = erasureIn(journal);
  const isShown = erased === null && bodies.length > 0;
  return {
    thread: isShown ? AgentThread.restore(threadId, bodies, digest) : AgentThread.empty(threadId),
    journal,
    planVersion: erased === null ? Math.max(0, ...plans.keys()) : 0,
    erased,
    title: null,
    artifacts: contents.size,
    findings,
    plan: async (version) => readablePlan(plans.get(version)),
    content: async (id) => contents.get(id) ?? null,
    refresh: async () => false,
  };
}

function readablePlan(text: string | undefined): CompactionPlan | null {
  if (text === undefined) return null;
  try {
    return parsePlan(text);
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return null;
    throw error;
  }
}

/**
 * What can be read of a thread that does not verify: of the log and of the journal what stands before the first bad item,
 * of plans and artifacts every one that is whole.
 */
export async function salvagedRows(
  store: ThreadfoldStore,
  threadId: ThreadId,
  findings: readonly StoreFinding[],
): Promise<KeptRows> {
  const inspector = inspectorOf(store);
  const until = (family: StoreFinding["family"]): number => {
    const at = findings.find((finding) => finding.family === family)?.at;
    return typeof at === "number" ? at : Number.POSITIVE_INFINITY;
  };
  const bodies: string[] = [];
  let digest = THREAD_CHAIN_START;
  for await (const { version, body, link } of readable(inspector.entries(threadId))) {
    if (version >= until("entries") || body === null) break;
    bodies.push(body);
    digest = link;
  }
  const plans = new Map<number, string>();
  for await (const { version, body } of readable(inspector.plans(threadId)))
    if (body !== null) plans.set(version, body);
  const journal: JournalEntry[] = [];
  for await (const row of readable(inspector.journal(threadId))) {
    if (row.sequence >= until("journal")) break;
    journal.push({ ...row, threadId, record: parseJson(row.record) as JournalEntry["record"] });
  }
  const contents = new Map<string, string>();
  for await (const { artifactId, content } of readable(inspector.artifacts(threadId)))
    if (content !== null) contents.set(artifactId, content);
  return { threadId, bodies, digest, plans, journal, contents };
}

/** Rows up to the first that the backend cannot give: a page of a file may be gone. */
async function* readable<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === "ABORTED") throw error;
    // That rows are missing stands among the findings.
  }
}
