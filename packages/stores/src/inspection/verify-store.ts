import { ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import { checkArtifacts } from "./check-artifacts.ts";
import { type CheckedLog, checkEntries } from "./check-entries.ts";
import {
  type CheckedJournal,
  checkJournal,
  checkLogAgainstJournal,
  checkPlansAgainstJournal,
} from "./check-journal.ts";
import { type CheckedPlans, checkPlans } from "./check-plans.ts";
import { inspectorOf } from "./inspector-of.ts";
import type { Problem, StoreFinding } from "./store-finding.ts";
import type { StoreInspector } from "./stored-rows.ts";

export type { StoreFinding } from "./store-finding.ts";

/** How a check runs. */
export interface VerifyOptions {
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Called with every thread that is checked, before it is. */
  readonly onThread?: (threadId: ThreadId) => void;
}

/**
 * Checks what a store holds and gives the first bad item of each family; an empty list means that all verifies.
 *
 * Of a thread it checks that every entry's body matches its digest and every digest its link, that plans are the ones
 * that their ids name and cover what the log has, that the journal's chain holds and agrees with log and plans, and that
 * each artifact is the content that its id names. Others may write to the store meanwhile. Damage is a finding and never
 * an exception, so one run reports all of it that can still be read.
 *
 * @param threadId the thread to check; without it all of them, and the backend's files.
 * @throws ThreadfoldError `THREAD_NOT_FOUND` when the store has never heard of the thread, `ABORTED`, `STORE_UNAVAILABLE`.
 */
export async function verifyStore(
  store: ThreadfoldStore,
  threadId?: ThreadId,
  { signal, onThread }: VerifyOptions = {},
): Promise<readonly StoreFinding[]> {
  const inspector = inspectorOf(store, signal);
  if (threadId === undefined) return verifyAll(inspector, onThread);
  onThread?.(threadId);
  return verifyThread(inspector, threadId);
}

async function verifyAll(
  inspector: StoreInspector,
  onThread: VerifyOptions["onThread"],
): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = [];
  const ofFile = (problem: Problem): void => {
    if (problem !== null) findings.push({ family: "file", threadId: null, ...problem });
  };
  ofFile(
    await guarded(async () => {
      for (const problem of await inspector.damage()) ofFile({ at: null, problem });
      return null;
    }),
  );
  // A file that SQLite finds damaged may still give most of its threads.
  ofFile(
    await guarded(async () => {
      for await (const id of inspector.threadIds()) {
        onThread?.(id);
        findings.push(...(await verifyThread(inspector, id, true)));
      }
      return null;
    }),
  );
  return findings;
}

async function verifyThread(
  inspector: StoreInspector,
  threadId: ThreadId,
  known = false,
): Promise<readonly StoreFinding[]> {
  let log: CheckedLog = { problem: null, links: [], arrivals: new Map() };
  let plans: CheckedPlans = { problem: null, planIds: [] };
  let journal: CheckedJournal = { problem: null, entries: [] };
  let rows = 0;
  let isErased = false;
  const erasureProblem = await guarded(async () => {
    isErased = (await inspector.isErased?.(threadId)) ?? false;
    return null;
  });
  const counted = <Row>(source: AsyncIterable<Row>): AsyncIterable<Row> => countRows(source, () => rows++);
  const readLog = async (): Promise<CheckedLog> =>
    (log = await checkEntries(counted(inspector.entries(threadId)), isErased));
  const logWith = async (entries: number): Promise<CheckedLog> =>
    log.problem === null && entries >= log.links.length ? readLog() : log;
  // The journal is written after what it speaks of, so it is read first: what comes in meanwhile is no contradiction.
  const journalProblem = await guarded(
    async () => (journal = await checkJournal(threadId, counted(inspector.journal(threadId)))).problem,
  );
  const logProblem = await guarded(async () => (await readLog()).problem);
  log = { ...log, problem: logProblem };
  const problems: Record<Exclude<StoreFinding["family"], "file">, Problem> = {
    entries: logProblem ?? erasureProblem,
    plans: await guarded(
      async () => (plans = await checkPlans(threadId, counted(inspector.plans(threadId)), logWith, isErased)).problem,
    ),
    journal: journalProblem,
    artifacts: await guarded(() => checkArtifacts(threadId, counted(inspector.artifacts(threadId)), isErased)),
  };
  problems.entries ??= checkLogAgainstJournal(log, journal.entries);
  problems.plans ??= checkPlansAgainstJournal(plans.planIds, journal.entries);
  if (isErased) problems.journal ??= missingProof(journal);
  const findings = Object.entries(problems).flatMap(([family, problem]) =>
    problem === null ? [] : [{ family: family as StoreFinding["family"], threadId, ...problem }],
  );
  if (rows > 0 || known || findings.length > 0) return findings;
  throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to verify.`, { details: { threadId } });
}

/** Content that is gone by right is gone by an entry of the journal that says so. */
function missingProof({ entries }: CheckedJournal): Problem {
  if (entries.some(({ record }) => record.type === "thread-erased")) return null;
  return { at: entries.length + 1, problem: "it is missing: the content was erased and no entry proves it" };
}

/** Damage that shows while reading is a problem of the family that was read. */
async function guarded(check: () => Promise<Problem>): Promise<Problem> {
  try {
    return await check();
  } catch (error) {
    if (!ThreadfoldError.isInstance(error) || error.code !== "STORE_CORRUPT") throw error;
    return { at: null, problem: `it cannot be read: ${error.message}` };
  }
}

async function* countRows<Row>(source: AsyncIterable<Row>, count: () => void): AsyncIterable<Row> {
  for await (const row of source) {
    count();
    yield row;
  }
}
