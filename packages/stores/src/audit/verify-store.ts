import {
  type Checkpoint,
  type Clock,
  canonicalJson,
  checkOptions,
  checkStore,
  MerkleTree,
  merkleLeafOf,
  type OptionKinds,
  THREAD_CHAIN_START,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { inspectorOf, type StoredArtifact, type StoreInspector } from "../inspection/inspector.ts";
import type { ObjectFolder } from "../shared/object-artifacts.ts";
import { checkThreadId, systemClock } from "../shared/store-basics.ts";
import type { ArchiveReceipt } from "./archive-receipt.ts";
import { type CheckedArtifacts, checkArtifacts, checkArtifactsAgainstJournal } from "./check-artifacts.ts";
import {
  type CheckedJournal,
  type CheckedLog,
  type CheckedPlans,
  checkEntries,
  checkJournal,
  checkLogAgainstJournal,
  checkPlans,
  checkPlansAgainstJournal,
  type Problem,
  type StoreFinding,
} from "./check-thread.ts";
import { checkCheckpoint, signatureProblem } from "./checkpoint.ts";
import {
  type ArchivableStore,
  copyIn,
  endOfRows,
  isArchivable,
  type OpenSegments,
  readSegment,
  segmentInspector,
} from "./segment.ts";

export type { StoreFinding } from "./check-thread.ts";

/** Options for checking a store. */
export interface VerifyOptions {
  /** Ends the check early. */
  readonly signal?: AbortSignal;
  /** Called with every thread before it is checked. */
  readonly onThread?: (threadId: ThreadId) => void;
  /** Supplies the time, to tell which artifacts have expired and so may be gone. The machine's clock by default. */
  readonly clock?: Clock;
  /** Opens the places of segments, as `segmentPlaces` does. Without it, no segment is read. */
  readonly segments?: OpenSegments;
  /** Called with every archived thread, and whether its segment was read or could not be reached. */
  readonly onSegment?: (receipt: ArchiveReceipt, isReached: boolean) => void;
}

/**
 * Checks what a store holds and returns the first bad item of each family; an empty list means that everything
 * verifies.
 *
 * For each thread it checks that every entry's body matches its digest and every digest its link, that plans match
 * their ids and cover only what the log has, that the journal's chain is intact and agrees with log and plans, that
 * each artifact has the content that its id names, and exists under the terms that the journal recorded, and that the
 * log does not mix sealed entries with entries in the clear, which no keys would open. For an archived thread it reads
 * the segment, checks its root against the receipt, and checks its rows in the same way. Others may write to the store
 * meanwhile. Damage is reported as a finding and never thrown, so one run reports all damage that can still be read.
 *
 * @param threadId the thread to check; without it, all threads and the backend's files.
 * @throws ThreadfoldError `THREAD_NOT_FOUND` when the store does not have the thread, `ABORTED`, `STORE_UNAVAILABLE`,
 * `INVALID_CONFIG` for what is no store, or an option that makes no sense.
 */
export async function verifyStore(
  store: ThreadfoldStore,
  threadId?: ThreadId,
  options: VerifyOptions = {},
): Promise<readonly StoreFinding[]> {
  checkStore(store);
  checkOptions("options", options, VERIFY_OPTIONS);
  if (threadId === undefined) return verifyAll(store, options);
  checkThreadId(threadId);
  options.onThread?.(threadId);
  return verifyWherever(store, threadId, options);
}

const VERIFY_OPTIONS: OptionKinds<VerifyOptions> = {
  ...{ signal: "signal", clock: "clock", onThread: "call", segments: "call", onSegment: "call" },
};

/** Checks a thread where it is: in the store, or in its segment. */
async function verifyWherever(
  store: ThreadfoldStore,
  threadId: ThreadId,
  options: VerifyOptions,
  known = false,
): Promise<readonly StoreFinding[]> {
  const receipt = isArchivable(store) ? await store.archiver.receiptOf(threadId) : null;
  if (receipt?.isCold === true) return verifyCold(store, receipt, options);
  const { signal, clock = systemClock } = options;
  const findings = await verifyThread(inspectorOf(store, signal), threadId, clock, known);
  if (receipt === null || (await (store as ArchivableStore).archiver.look(threadId)) !== null) return findings;
  const problem = "its receipt says that the thread is in the store, but no part of it is";
  return [...findings, { family: "segment", threadId, at: null, problem }];
}

async function verifyCold(
  store: ThreadfoldStore,
  receipt: ArchiveReceipt,
  { segments, onSegment, clock, signal }: VerifyOptions,
): Promise<readonly StoreFinding[]> {
  const folder = (await reached(() => segments?.(receipt.place, false))) ?? null;
  const findings = folder && (await reached(() => verifySegment(store, receipt, folder, { clock, signal })));
  await folder?.close();
  onSegment?.(receipt, findings !== null);
  return findings ?? [];
}

/**
 * Returns what a place answers; null when it cannot be reached, or not from here, because its driver is not installed.
 */
async function reached<Result>(ask: () => Promise<Result> | undefined): Promise<Result | null> {
  try {
    return (await ask()) ?? null;
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && OUT_OF_REACH.has(error.code)) return null;
    throw error;
  }
}

const OUT_OF_REACH: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "INVALID_CONFIG"]);

/**
 * Reads a segment and checks it like a thread in the store. Artifacts that are kept elsewhere are checked there.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE` when the place does not respond.
 */
export async function verifySegment(
  store: ThreadfoldStore,
  receipt: ArchiveReceipt,
  folder: ObjectFolder,
  {
    clock = systemClock,
    signal,
  }: { readonly clock?: Clock | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly StoreFinding[]> {
  const { threadId, key, place } = receipt;
  const finding = (problem: string, at: number | null = null): readonly StoreFinding[] => [
    { family: "segment", threadId, at, problem },
  ];
  if (receipt.isCold && receipt.isDropped)
    return finding("its receipt says both that it was removed and that the thread is in it");
  // The store itself may be intact: a copy of it would not help.
  const wayOut = `restore an intact copy of ${key} to ${place}`;
  const bytes = await folder.get(key);
  if (bytes === null) return finding(`it is missing: ${key} is not in ${place}`);
  try {
    const rows = await readSegment(bytes, receipt);
    const copies = [...new Set(rows.map(copyIn))].filter((copy) => copy !== null);
    const found = canonicalJson({ end: endOfRows(rows), copies });
    if (found !== canonicalJson({ end: receipt.end, copies: receipt.copies }))
      return finding(`the thread in it does not match its receipt; ${wayOut}`);
    const cold = segmentInspector(receipt, rows);
    const elsewhere = inspectorOf(store, signal);
    const artifacts = () => eachOnce(cold.artifacts(threadId), elsewhere.artifacts(threadId));
    return await verifyThread({ ...cold, artifacts }, threadId, clock, true);
  } catch (error) {
    if (!ThreadfoldError.isInstance(error) || error.code !== "STORE_CORRUPT") throw error;
    const { line } = error.details;
    return finding(`${error.message.replace(/\.$/, "")}; ${wayOut}`, typeof line === "number" ? line : null);
  }
}

async function* eachOnce(...sources: readonly AsyncIterable<StoredArtifact>[]): AsyncGenerator<StoredArtifact> {
  const seen = new Set<string>();
  for (const source of sources)
    for await (const row of source) {
      if (seen.has(row.artifactId)) continue;
      seen.add(row.artifactId);
      yield row;
    }
}

async function verifyAll(store: ThreadfoldStore, options: VerifyOptions): Promise<readonly StoreFinding[]> {
  const inspector = inspectorOf(store, options.signal);
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
  // Most threads of a file that SQLite finds damaged may still be readable.
  ofFile(
    await guarded(async () => {
      for await (const id of inspector.threadIds()) {
        options.onThread?.(id);
        findings.push(...(await verifyWherever(store, id, options, true)));
      }
      return null;
    }),
  );
  return findings;
}

async function verifyThread(
  inspector: StoreInspector,
  threadId: ThreadId,
  clock: Clock,
  known = false,
): Promise<readonly StoreFinding[]> {
  let log: CheckedLog = { problem: null, mixture: null, links: [], arrivals: new Map() };
  let plans: CheckedPlans = { problem: null, planIds: [] };
  let journal: CheckedJournal = { problem: null, entries: [] };
  let artifacts: CheckedArtifacts = { problem: null, kept: new Map() };
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
  // The journal is written after what it describes, so it is read first: additions made meanwhile do not contradict it.
  const journalProblem = await guarded(
    async () => (journal = await checkJournal(threadId, counted(inspector.journal(threadId)))).problem,
  );
  const logProblem = await guarded(async () => (await readLog()).problem);
  log = { ...log, problem: logProblem };
  const problems: Record<Exclude<StoreFinding["family"], "file" | "segment">, Problem> = {
    entries: logProblem ?? erasureProblem,
    plans: await guarded(
      async () => (plans = await checkPlans(threadId, counted(inspector.plans(threadId)), logWith, isErased)).problem,
    ),
    journal: journalProblem,
    artifacts: await guarded(
      async () =>
        (artifacts = await checkArtifacts(threadId, counted(inspector.artifacts(threadId)), isErased)).problem,
    ),
  };
  problems.entries ??= checkLogAgainstJournal(log, journal.entries) ?? log.mixture;
  problems.plans ??= checkPlansAgainstJournal(plans.planIds, journal.entries);
  problems.artifacts ??= checkArtifactsAgainstJournal(artifacts.kept, journal.entries, clock.now());
  if (isErased) problems.journal ??= missingProof(journal);
  const findings = Object.entries(problems).flatMap(([family, problem]) =>
    problem === null ? [] : [{ family: family as StoreFinding["family"], threadId, ...problem }],
  );
  if (rows > 0 || known || findings.length > 0) return findings;
  throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} in the store.`, {
    details: { threadId },
  });
}

/** Content may be missing only if a journal entry says that it was erased. */
function missingProof({ entries }: CheckedJournal): Problem {
  if (entries.some(({ record }) => record.type === "thread-erased")) return null;
  return { at: entries.length + 1, problem: "it is missing: the content was erased and no entry proves it" };
}

/** Reports damage that appears while reading as a problem of the family that was read. */
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

/**
 * Checks that a thread and its journal have only grown since a checkpoint that was kept elsewhere. This finds what no
 * chain can: an end that was cut off, and a record that was rewritten as a whole. Whether the chains are intact is
 * checked by `verifyStore`; together they show that nothing up to the checkpoint was changed.
 *
 * @param publicKey the key that the checkpoint must be signed with, as `ed25519PublicKey` returns it.
 * @param signal aborts the check.
 * @throws ThreadfoldError `INVALID_CONFIG` when the checkpoint's signature cannot be trusted, `STORE_CORRUPT` when a
 * stored hash is not one, `ABORTED`.
 */
export async function verifySince(
  store: ThreadfoldStore,
  checkpoint: Checkpoint,
  publicKey?: string,
  signal?: AbortSignal,
): Promise<readonly StoreFinding[]> {
  checkCheckpoint("checkpoint", checkpoint);
  const { threadId } = checkpoint;
  const signature = signatureProblem(checkpoint, publicKey);
  if (signature !== null)
    throw new ThreadfoldError("INVALID_CONFIG", `The checkpoint cannot be trusted: ${signature}.`);
  const inspector = inspectorOf(store, signal);
  const findings: StoreFinding[] = [];
  const journal = await journalProblem(inspector, checkpoint);
  if (journal !== null) findings.push({ family: "journal", threadId, at: journal.at, problem: journal.problem });
  const entries = await entriesProblem(inspector, checkpoint);
  if (entries !== null) findings.push({ family: "entries", threadId, at: entries.at, problem: entries.problem });
  const plans = (await store.plans.listPlans(threadId)).length;
  if (plans < checkpoint.planVersion)
    findings.push({ family: "plans", threadId, at: plans + 1, problem: "it is missing: the checkpoint has it" });
  return findings;
}

interface Finding {
  readonly at: number;
  readonly problem: string;
}

async function journalProblem(
  inspector: StoreInspector,
  { threadId, size, rootHash }: Checkpoint,
): Promise<Finding | null> {
  const tree = new MerkleTree();
  for await (const { hash } of inspector.journal(threadId)) {
    if (tree.size === size) break;
    tree.append(merkleLeafOf(hash));
  }
  if (tree.size < size) return { at: tree.size + 1, problem: `it is missing: the checkpoint has ${size}` };
  return tree.root() === rootHash
    ? null
    : { at: size, problem: "the journal up to here does not match the checkpoint" };
}

async function entriesProblem(
  inspector: StoreInspector,
  { threadId, threadVersion, threadDigest }: Checkpoint,
): Promise<Finding | null> {
  let end = { version: 0, link: THREAD_CHAIN_START };
  for await (const { version, link } of inspector.entries(threadId)) {
    if (version > threadVersion) break;
    end = { version, link };
  }
  if (end.version < threadVersion)
    return { at: end.version + 1, problem: `it is missing: the checkpoint has ${threadVersion}` };
  return end.link === threadDigest
    ? null
    : { at: threadVersion, problem: "the thread up to here does not match the checkpoint" };
}
