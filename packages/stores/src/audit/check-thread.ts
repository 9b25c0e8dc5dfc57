import {
  type CompactionPlan,
  canonicalJson,
  firstBrokenEntry,
  type JournalEntry,
  type JournalRecord,
  MerkleTree,
  merkleLeafOf,
  nextThreadLink,
  parseJson,
  parsePlan,
  placeMessage,
  serializePlan,
  sha256,
  THREAD_CHAIN_START,
  type ThreadEntry,
  type ThreadId,
  threadEntrySchema,
} from "@threadfold/core";
import type { StoredEntry, StoredJournalEntry, StoredPlan } from "../inspection/inspector.ts";
import { isKeyedDigest } from "../shared/journal.ts";
import { firstUnknownMessage, planInfo } from "../shared/plans.ts";
import { isSealedEntry } from "../shared/store-basics.ts";
import { checkpointSchema, signatureProblem } from "./checkpoint.ts";

/** A failed verification: the first bad item of its family. */
export interface StoreFinding {
  readonly family: "entries" | "plans" | "journal" | "artifacts" | "file" | "segment";
  /** Null for a problem with the whole file. */
  readonly threadId: ThreadId | null;
  /** The bad item: a version of the thread or plan, a sequence number, an artifact id; null when none can be named. */
  readonly at: number | string | null;
  /** What is wrong with it, as the rest of a sentence. Never contains content. */
  readonly problem: string;
}

/** The first bad item of its family, or null when there is none. */
export type Problem = { readonly at: number | string | null; readonly problem: string } | null;

/** The outcome of checking a log. */
export interface CheckedLog {
  readonly problem: Problem;
  /** The first entry that is sealed in a thread in the clear, or the other way around, in a log that verifies. */
  readonly mixture: Problem;
  /** The thread's digest at version n, from 0. Ends before the first bad entry. */
  readonly links: readonly string[];
  /** The version at which each message was added. */
  readonly arrivals: ReadonlyMap<string, number>;
}

/** What an entry row states besides its body. */
type Header = Pick<StoredEntry, "version" | "kind" | "messageId" | "pinId" | "messages" | "turn" | "step">;

const START: Header = { version: 0, kind: "", messageId: null, pinId: null, messages: 0, turn: 0, step: 0 };

/**
 * Checks a log from its start: bodies, digests, links and headers.
 *
 * @param isErased true when bodies are rightly gone; their digests and links must still match.
 */
export async function checkEntries(rows: AsyncIterable<StoredEntry>, isErased = false): Promise<CheckedLog> {
  const links = [THREAD_CHAIN_START];
  const arrivals = new Map<string, number>();
  let before = START;
  const seals = new Seals();
  for await (const row of rows) {
    const entry = row.body === null ? null : parseEntry(row.body);
    const problem =
      chainProblem(row, before, links.at(-1) as string, isErased) ??
      headerProblem(row, before, entry) ??
      repetition(row, arrivals);
    if (problem !== null) return { problem: { at: before.version + 1, problem }, mixture: null, links, arrivals };
    links.push(row.link);
    if (row.messageId !== null) arrivals.set(row.messageId, row.version);
    if (entry !== null) seals.add(row.version, isSealedEntry(entry));
    before = row;
  }
  return { problem: null, mixture: seals.mixture, links, arrivals };
}

/**
 * Finds where a thread ceases to be sealed, or begins to be: with its keys, such a thread does not open. An envelope
 * among entries in the clear is what somebody pasted.
 */
class Seals {
  #isSealed: boolean | undefined;
  #changedAt: number | null = null;

  add(version: number, isSealed: boolean): void {
    this.#isSealed ??= isSealed;
    if (isSealed !== this.#isSealed) this.#changedAt ??= version;
    else if (!isSealed) this.#changedAt = null;
  }

  get mixture(): Problem {
    if (this.#changedAt === null) return null;
    const [what, how] = this.#isSealed
      ? ["it is in the clear, but the thread is sealed", "with its keys"]
      : ["it is sealed, but the thread before it is in the clear", "without keys"];
    // Nothing was lost or altered, so a copy of the store would be no better.
    const wayOut = `what came before it opens at version ${this.#changedAt - 1} ${how}; append that to a new thread and go on there`;
    return { at: this.#changedAt, problem: `${what}: ${wayOut}` };
  }
}

function chainProblem(row: StoredEntry, before: Header, link: string, isErased: boolean): string | null {
  if (row.version !== before.version + 1) return "it is missing";
  if (row.body === null && !isErased) return "its body is missing";
  if (row.body !== null && sha256(row.body) !== row.digest) return "its body does not match its digest";
  return nextThreadLink(link, row.digest) === row.link ? null : "it does not link to the previous entry";
}

function headerProblem(row: StoredEntry, before: Header, entry: ThreadEntry | null): string | null {
  if (row.body === null) return null;
  if (entry === null) return "its body is not an entry";
  const expected = headerAfter(before, entry);
  const wrong = (Object.keys(expected) as (keyof Header)[]).find((name) => row[name] !== expected[name]);
  return wrong === undefined ? null : `its header and its body disagree on ${wrong}`;
}

function repetition({ messageId }: StoredEntry, arrivals: ReadonlyMap<string, number>): string | null {
  const earlier = messageId === null ? undefined : arrivals.get(messageId);
  return earlier === undefined ? null : `its message is already entry ${earlier}`;
}

function parseEntry(body: string): ThreadEntry | null {
  try {
    const parsed = parseJson(body);
    return threadEntrySchema.safeParse(parsed).success && canonicalJson(parsed) === body
      ? (parsed as ThreadEntry)
      : null;
  } catch {
    return null;
  }
}

function headerAfter({ version, messages, turn, step }: Header, entry: ThreadEntry): Header {
  const next = { version: version + 1, kind: entry.type, messageId: null, pinId: null, messages, turn, step };
  switch (entry.type) {
    case "message": {
      const place = placeMessage({ turn, step }, entry.message);
      return { ...next, ...place, messageId: entry.message.id, messages: messages + 1 };
    }
    case "pin":
      return { ...next, pinId: entry.pin.id };
    case "pin-lifted":
      return { ...next, pinId: entry.pinId };
  }
}

/** The outcome of checking a thread's plans. */
export interface CheckedPlans {
  readonly problem: Problem;
  /** The ids of the plans before the first bad one, starting with version 1. */
  readonly planIds: readonly string[];
}

/**
 * Checks that plans are complete, match their ids, and cover only what the log has.
 *
 * @param logWith reads the log up to at least this many entries, if it has them: a thread that is in use may grow
 * between the reading of its log and of its plans.
 */
export async function checkPlans(
  threadId: ThreadId,
  rows: AsyncIterable<StoredPlan>,
  logWith: (entries: number) => Promise<CheckedLog>,
  isErased = false,
): Promise<CheckedPlans> {
  const planIds: string[] = [];
  for await (const row of rows) {
    const version = planIds.length + 1;
    const log = await logWith(row.threadVersion);
    const problem = row.version === version ? planProblem(threadId, row, log, isErased) : "it is missing";
    if (problem !== null) return { problem: { at: version, problem }, planIds };
    planIds.push(row.planId);
  }
  return { problem: null, planIds };
}

function planProblem(threadId: ThreadId, row: StoredPlan, log: CheckedLog, isErased: boolean): string | null {
  if (row.body === null && isErased) return null;
  const plan = row.body === null ? null : parse(row.body);
  if (plan === null)
    return row.body === null ? "its body is missing" : "its body is not a plan, or not the one that its id names";
  if (plan.threadId !== threadId) return "it is a plan of another thread";
  const expected = planInfo(plan);
  const wrong = (Object.keys(expected) as (keyof typeof expected)[]).find((name) => row[name] !== expected[name]);
  if (wrong !== undefined) return `its header and its body disagree on ${wrong}`;
  return log.problem === null ? coverageProblem(plan, log) : null;
}

/** What a damaged log once had is unknown, so a plan is checked only against an intact one. */
function coverageProblem(plan: CompactionPlan, { links, arrivals }: CheckedLog): string | null {
  const entries = links.length - 1;
  if (plan.threadVersion > entries) return `it covers ${plan.threadVersion} entries, but the log has ${entries}`;
  const unknown = firstUnknownMessage(plan, (id) => arrivals.get(id));
  return unknown === undefined ? null : "it names a message that the log did not contain at that point";
}

function parse(body: string): CompactionPlan | null {
  try {
    const plan = parsePlan(body);
    return serializePlan(plan) === body ? plan : null;
  } catch {
    return null;
  }
}

/** The outcome of checking a journal. */
export interface CheckedJournal {
  readonly problem: Problem;
  /** The entries before the first bad one. */
  readonly entries: readonly JournalEntry[];
}

/** Checks a journal's chain from its start. */
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

/** Checks the checkpoints of an unbroken journal against its state when they were made. */
function checkpointProblem(entries: readonly JournalEntry[]): Problem {
  const tree = new MerkleTree();
  for (const { sequence, record, hash } of entries) {
    if (record.type === "checkpoint-made") {
      const parsed = checkpointSchema.safeParse(record.checkpoint);
      if (!parsed.success || parsed.data.size > tree.size || tree.root(parsed.data.size) !== parsed.data.rootHash)
        return { at: sequence, problem: "its checkpoint does not match this journal" };
      const signature = signatureProblem(parsed.data);
      if (signature !== null) return { at: sequence, problem: `its checkpoint does not verify: ${signature}` };
    }
    tree.append(merkleLeafOf(hash));
  }
  return null;
}

/**
 * Checks a log against what the journal recorded about it. A chain reveals changes within itself; only a record made
 * elsewhere reveals that its end was cut off.
 */
export function checkLogAgainstJournal(log: CheckedLog, journal: readonly JournalEntry[]): Problem {
  const entries = log.links.length - 1;
  for (const { sequence, record: kept } of journal) {
    const record = kept.type === "checkpoint-made" ? kept.checkpoint : kept;
    if (!("threadVersion" in record)) continue;
    if (record.threadVersion > entries) {
      return {
        at: entries + 1,
        problem: `it is missing: journal entry ${sequence} refers to version ${record.threadVersion}`,
      };
    }
    const digest = "threadDigest" in record ? record.threadDigest : undefined;
    if (digest !== undefined && !isKeyedDigest(digest) && log.links[record.threadVersion] !== digest) {
      return {
        at: record.threadVersion,
        problem: `the thread's digest there is not the one in journal entry ${sequence}`,
      };
    }
  }
  return null;
}

/** Checks plans against what the journal recorded about them, for the same reason. */
export function checkPlansAgainstJournal(planIds: readonly string[], journal: readonly JournalEntry[]): Problem {
  for (const { sequence, record: kept } of journal) {
    const record = kept.type === "checkpoint-made" ? kept.checkpoint : kept;
    const planVersion = "planVersion" in record ? record.planVersion : undefined;
    if (planVersion === undefined) continue;
    if (planVersion > planIds.length) {
      return {
        at: planIds.length + 1,
        problem: `it is missing: journal entry ${sequence} refers to version ${planVersion}`,
      };
    }
    const planId = "planId" in record ? record.planId : undefined;
    if (planId !== undefined && !isKeyedDigest(planId) && planIds[planVersion - 1] !== planId)
      return { at: planVersion, problem: `it is not the plan in journal entry ${sequence}` };
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
