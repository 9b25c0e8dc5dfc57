import {
  type CommitResult,
  type CompactionPlan,
  type CompactionStore,
  canonicalJson,
  digestOf,
  emptySummary,
  freezeDeep,
  groupRecords,
  type MessageId,
  outlineOf,
  type PlanId,
  type PlanInfo,
  type PlanRecord,
  type PlanRecords,
  parseJson,
  planRecords,
  type SpanReference,
  sealAs,
  sealPlan,
  spanEnd,
  spanLength,
  spanStart,
  type ThreadId,
  type ThreadRanges,
  type ThreadStore,
} from "@threadfold/core";
import { admitPlan, currentVersion, planInfo } from "../shared/plans.ts";
import type { Sealers } from "./key-guard.ts";
import { unsealFailed } from "./sealed-envelope.ts";
import type { Sealer } from "./sealer.ts";

/** Threads after opening: whole, and in parts if the store can read parts. */
export interface OpenedThreads {
  readonly threads: ThreadStore;
  readonly ranges: ThreadRanges | undefined;
}

/** Stores plans whose summaries, reasons and keywords are sealed. */
export class EncryptedPlans implements CompactionStore {
  readonly #inner: CompactionStore;
  readonly #threads: OpenedThreads;
  readonly #sealers: Sealers;

  constructor(inner: CompactionStore, threads: OpenedThreads, sealers: Sealers) {
    this.#inner = inner;
    this.#threads = threads;
    this.#sealers = sealers;
  }

  async getCurrentPlan(
    threadId: ThreadId,
  ): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }> {
    const { plan, version } = await this.#inner.getCurrentPlan(threadId);
    return Object.freeze({ plan: await this.#open(threadId, plan), version });
  }

  getCurrentVersion(threadId: ThreadId): Promise<number> {
    return currentVersion(this.#inner, threadId);
  }

  async getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    return this.#open(threadId, await this.#inner.getPlan(threadId, version));
  }

  /**
   * Lists the plans with the ids that they have when opened, for which each is opened. Erased plans keep the ids of
   * what is stored.
   */
  async listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]> {
    const stored = await this.#inner.listPlans(threadId);
    if (stored.length === 0 || (await this.#sealers.isShredded(threadId))) return stored;
    const infos: PlanInfo[] = [];
    for (const info of stored) {
      const plan = await this.getPlan(threadId, info.version);
      infos.push(plan === null ? info : planInfo(plan));
    }
    return Object.freeze(infos);
  }

  async commitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const plan = admitPlan(threadId, candidate, expectedVersion);
    const sealer = await this.#sealers.toSeal(threadId);
    const threadDigest = await this.#digestAt(threadId, plan.threadVersion);
    return this.#inner.commitPlan(threadId, sealedPlan(sealer, plan, threadDigest), expectedVersion);
  }

  /**
   * Returns the thread's digest at a version, for resuming the thread from there. It is computed from the previous plan
   * and the entries since, so that only a thread's first commit reads all of it. Undefined if the store cannot resume
   * threads.
   */
  async #digestAt(threadId: ThreadId, version: number): Promise<string | undefined> {
    const { threads, ranges } = this.#threads;
    const resumed = await ranges?.resume(threadId);
    if (resumed === undefined) return undefined;
    const isBehind = resumed !== null && resumed.plan.threadVersion <= version;
    const thread = isBehind ? resumed.thread : await threads.load(threadId);
    return thread?.atVersion(version).digest;
  }

  async #open(threadId: ThreadId, plan: CompactionPlan | null): Promise<CompactionPlan | null> {
    return plan === null ? null : openedPlan(await this.#sealers.toOpen(threadId), plan);
  }
}

/**
 * Returns a plan of which a store sees spans, actions, artifact ids and figures, but nothing that its summaries say.
 *
 * @param threadDigest the thread's digest at the plan's thread version; it is sealed with the first record.
 */
function sealedPlan(sealer: Sealer, plan: CompactionPlan, threadDigest?: string): CompactionPlan {
  const head = threadDigest === undefined ? undefined : { planId: plan.planId, threadDigest };
  const records = planRecords(plan).map((record, index) => {
    const text = writeRecord(record, index === 0 ? head : undefined);
    return withoutContent(record, sealer.seal("plan", placeOf(plan, record), text));
  });
  return sealPlan({ ...plan, ...groupRecords(records) });
}

/** Returns the plan that was sealed, with its original id. @throws ThreadfoldError `UNSEAL_FAILED`. */
export async function openedPlan(sealer: Sealer, plan: CompactionPlan): Promise<CompactionPlan> {
  const { records, head } = await openRecords(sealer, plan);
  const content = { ...plan, ...records };
  const opened = head === undefined ? sealPlan(content) : sealAs(content, head.planId);
  if (opened === null) throw unsealFailed();
  return opened;
}

/**
 * Does the same for a plan that a thread resumes from, whose long spans may have been left in the store; its id is then
 * the one in the head. Null for a plan that was sealed without a head: its thread must be loaded.
 *
 * @throws ThreadfoldError `UNSEAL_FAILED`.
 */
export async function openedOutline(
  sealer: Sealer,
  plan: CompactionPlan,
): Promise<{ readonly plan: CompactionPlan; readonly threadDigest: string } | null> {
  const { records, head } = await openRecords(sealer, plan);
  if (head === undefined) return null;
  const { planId, threadDigest } = head;
  for (const list of Object.values(records)) Object.freeze(list);
  return { plan: Object.freeze({ ...plan, ...records, planId }), threadDigest };
}

async function openRecords(
  sealer: Sealer,
  plan: CompactionPlan,
): Promise<{ readonly records: PlanRecords; readonly head: PlanHead | undefined }> {
  const opened: PlanRecord[] = [];
  let head: PlanHead | undefined;
  for (const sealed of planRecords(plan)) {
    const found = readRecord(await sealer.open("plan", placeOf(plan, sealed), sealed.reason), sealed.span);
    opened.push(found.record);
    head ??= found.head;
  }
  return { records: groupRecords(opened), head };
}

const placeOf = ({ version }: CompactionPlan, { action, span }: PlanRecord): string =>
  `${version} ${action} ${spanStart(span)}`;

function withoutContent(record: PlanRecord, reason: string): PlanRecord {
  const span = record.span;
  switch (record.action) {
    case "externalize":
      return { ...record, reason, summary: emptySummary(span), rehydrateHint: "" };
    case "summarize":
      return { ...record, reason, summary: emptySummary(span), resolved: [] };
    case "clear":
      return { ...record, reason, preservedFields: {} };
    case "drop":
      return { ...record, reason, keywords: [] };
  }
}

/** What can only be computed from a whole plan and its whole thread, for readers that have only parts. */
interface PlanHead {
  readonly planId: PlanId;
  /** The thread's digest at the plan's thread version. */
  readonly threadDigest: string;
}

/** What an envelope states about the readable span next to it. */
interface SpanSeal {
  readonly first: MessageId;
  readonly last: MessageId;
  readonly count: number;
  readonly firstTurn: number;
  readonly lastTurn: number;
  /** SHA-256 of the span with all its ids. */
  readonly digest: string;
}

/** A record's content as it is sealed: a seal replaces its span, so that the ids are stored only once. */
interface WrittenRecord {
  readonly head?: PlanHead;
  readonly record: { readonly span: SpanSeal; readonly summary?: { readonly span: SpanReference | "record" } };
}

/** An opened record, and the plan's head if it was sealed with it. */
interface OpenedRecord {
  readonly record: PlanRecord;
  readonly head?: PlanHead;
}

/** Returns the text of a record that is to be sealed. */
function writeRecord(record: PlanRecord, head?: PlanHead): string {
  const { span } = record;
  const isSame = "summary" in record && canonicalJson(record.summary.span) === canonicalJson(span);
  const content = { ...record, ...(isSame && { summary: { ...record.summary, span: "record" } }), span: sealOf(span) };
  return canonicalJson({ record: content, ...(head !== undefined && { head }) });
}

/**
 * Returns the record in an envelope, with the span next to it.
 *
 * @throws ThreadfoldError `UNSEAL_FAILED` when that span is not the one that was sealed. If the span's ids were left in
 * the store, only its ends and its length can be checked against the seal.
 */
function readRecord(text: string, span: SpanReference): OpenedRecord {
  const written = parseJson(text) as WrittenRecord | PlanRecord;
  // Before parts of threads could be read, records were sealed with all their ids.
  if ("action" in written) return { record: written };
  const { head, record } = written;
  if (!isSpan(record.span, span)) throw unsealFailed();
  const { summary } = record;
  const opened = { ...record, span, ...(summary?.span === "record" && { summary: { ...summary, span } }) };
  return { record: frozen(opened) as unknown as PlanRecord, ...(head !== undefined && { head }) };
}

const sealOf = (span: SpanReference): SpanSeal => ({ ...endsOf(span), digest: digestOf(span) });

function endsOf(span: SpanReference): Omit<SpanSeal, "digest"> {
  const { firstTurn, lastTurn } = span;
  return { first: spanStart(span), last: spanEnd(span), count: spanLength(span), firstTurn, lastTurn };
}

function isSpan({ digest, ...ends }: SpanSeal, span: SpanReference): boolean {
  const outline = outlineOf(span);
  if (outline === undefined) return digestOf(span) === digest;
  const inRuns = outline.runs.reduce((sum, { fromOrdinal, toOrdinal }) => sum + toOrdinal - fromOrdinal + 1, 0);
  return inRuns === ends.count && canonicalJson(endsOf(span)) === canonicalJson(ends);
}

/** Freezes all but spans: they are already frozen, and reading ids that were left in the store is an error. */
function frozen(value: object): object {
  for (const [key, item] of Object.entries(value)) {
    if (key === "summary") frozen(item);
    else if (key !== "span") freezeDeep(item);
  }
  return Object.freeze(value);
}
