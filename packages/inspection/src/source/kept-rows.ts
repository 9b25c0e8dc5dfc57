import {
  AgentThread,
  artifactIdOf,
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

/** The record of a thread as rows of text: the contents of an audit file, or what is readable of a damaged store. */
export interface KeptRows {
  readonly threadId: ThreadId;
  /** Bodies of the log, oldest first, and the thread's digest after the last of them. */
  readonly bodies: readonly string[];
  readonly digest: string;
  /** Serialized plans, by version. */
  readonly plans: ReadonlyMap<number, string>;
  readonly journal: readonly JournalEntry[];
  /** Contents of artifacts, by artifact id. */
  readonly contents: ReadonlyMap<string, string>;
}

/** Builds a thread's record from rows. Unreadable plans are left out. */
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
 * Reads what is readable of a thread that does not verify: of the log and the journal everything before the first bad
 * item, and every plan and artifact that is intact.
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
  // A changed version would make a reader look for all the plans before it.
  for await (const { version, body } of readable(inspector.plans(threadId)))
    if (body !== null && readablePlan(body)?.version === version) plans.set(version, body);
  const journal: JournalEntry[] = [];
  for await (const row of readable(inspector.journal(threadId))) {
    if (row.sequence >= until("journal")) break;
    journal.push({ ...row, threadId, record: parseJson(row.record) as JournalEntry["record"] });
  }
  const contents = new Map<string, string>();
  for await (const { artifactId, tenantId, content } of readable(inspector.artifacts(threadId)))
    if (content !== null && artifactIdOf(threadId, tenantId, content) === artifactId) contents.set(artifactId, content);
  return { threadId, bodies, digest, plans, journal, contents };
}

/** Yields rows up to the first that the backend cannot read: a page of a file may be lost. */
async function* readable<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === "ABORTED") throw error;
    // The findings already report the missing rows.
  }
}
