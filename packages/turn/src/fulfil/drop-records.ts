import {
  applySummaryChanges,
  type DropRecord,
  type Message,
  type MessageId,
  mergeSummaries,
  nothingShownBetween,
  type PlanRecord,
  type SpanReference,
  type Steps,
  type StructuredSummary,
  type SummarizationRecord,
  type SummaryChange,
  spanEnd,
  spanStart,
  type ThreadShape,
  trimSummary,
  visibleText,
} from "@threadfold/core";
import type { CompactionProposal } from "@threadfold/strategies";
import { type OwedItems, owedItems } from "./coded-changes.ts";
import { type Fulfilment, knownOrdinals, recordBase } from "./fulfilment.ts";

type DropProposal = CompactionProposal & { readonly action: "drop" };

/** Keywords of a drop at most. */
const MAX_KEYWORDS = 12;
/** How much of each message is searched for keywords, in UTF-16 code units. */
const SCANNED = 600;

/** Makes a record that drops groups from the prompt and notes keywords of their content (`DroppedSpanIndex`). */
export function dropRecord(proposal: DropProposal, fulfilment: Fulfilment): DropRecord {
  const base = recordBase(proposal, fulfilment);
  return { ...base, action: "drop", keywords: keywordsOf(base.span, fulfilment) };
}

/** Returns the first keywords of a span, including messages that the fold did not look at. */
function keywordsOf({ messageIds }: SpanReference, { thread }: Fulfilment): readonly string[] {
  const words = new Set<string>();
  for (const id of messageIds) {
    const message = thread.message(id);
    const text = message === undefined ? "" : visibleText(message).slice(0, SCANNED);
    for (const [word] of text.matchAll(/[\p{L}_][\p{L}\p{N}_./-]{5,60}/gu)) {
      if (words.add(word).size === MAX_KEYWORDS) return [...words];
    }
  }
  return [...words];
}

/**
 * Joins drops that lie side by side and have the same strategy and reason: those of this fold, and those of earlier
 * ones. A window that moves with every call would otherwise add a record each time, and a fold would cost more with
 * each of them (P9). What this fold drops stays apart, so that it can be told from what was gone before.
 */
export function* withJoinedDrops(records: readonly PlanRecord[], fulfilment: Fulfilment): Steps<readonly PlanRecord[]> {
  const joined = new Map<PlanRecord, PlanRecord | null>();
  for (const run of dropRuns(records, fulfilment)) {
    yield;
    const [first, ...rest] = run;
    if (first === undefined || rest.length === 0) continue;
    joined.set(first, yield* joinedDrop(run, fulfilment));
    for (const record of rest) joined.set(record, null);
  }
  return joined.size === 0
    ? records
    : records.flatMap((record) => (joined.has(record) ? (joined.get(record) ?? []) : record));
}

/** Returns drops that can be joined, run by run. */
function dropRuns(records: readonly PlanRecord[], fulfilment: Fulfilment): readonly (readonly DropRecord[])[] {
  const { shape, planVersion } = fulfilment;
  const place = (id: MessageId): number => shape.ordinalOf(id) ?? -1;
  const drops = records
    .filter((record) => record.action === "drop")
    .map((record) => ({ record, start: place(spanStart(record.span)), end: place(spanEnd(record.span)) }))
    .sort((a, b) => a.start - b.start);
  const runs: DropRecord[][] = [];
  // Groups may overlap, so a run ends where the one of them ends that reaches farthest, which need not be the last.
  let reach = -1;
  for (const { record, start, end } of drops) {
    const before = runs.at(-1)?.at(-1);
    const isContinued = before !== undefined && isAlike(before, record, planVersion) && follows(reach, start, shape);
    if (isContinued) runs.at(-1)?.push(record);
    else runs.push([record]);
    reach = isContinued ? Math.max(reach, end) : end;
  }
  return runs;
}

function isAlike(before: DropRecord, record: DropRecord, planVersion: number): boolean {
  const isNew = (one: DropRecord): boolean => one.sincePlanVersion === planVersion;
  return before.strategy === record.strategy && before.reason === record.reason && isNew(before) === isNew(record);
}

/** Checks whether no message is shown between two places; -1 is the place of a message that is not known. */
const follows = (end: number, start: number, shape: ThreadShape): boolean =>
  end >= 0 && start >= 0 && nothingShownBetween(end, start, shape);

function* joinedDrop(run: readonly DropRecord[], { shape }: Fulfilment): Steps<DropRecord> {
  const newest = run.reduce((one, other) => (other.sincePlanVersion > one.sincePlanVersion ? other : one));
  const ordinals: number[] = [];
  let isOverlapping = false;
  for (const { span } of run)
    for (const ordinal of shape.ordinalsOf(span) ?? []) {
      isOverlapping ||= ordinal < (ordinals.at(-1) ?? 0);
      ordinals.push(ordinal);
    }
  return {
    ...newest,
    span: yield* shape.spanInSteps(isOverlapping ? ordinals.sort((a, b) => a - b) : ordinals),
    originalTokens: run.reduce((sum, { originalTokens }) => sum + originalTokens, 0),
    keywords: someOf([...new Set(run.flatMap(({ keywords }) => keywords))]),
  };
}

/** Returns how a list of keywords begins and how it ends. */
const someOf = (keywords: readonly string[]): readonly string[] =>
  keywords.length <= MAX_KEYWORDS
    ? keywords
    : [...keywords.slice(0, MAX_KEYWORDS / 2), ...keywords.slice(-MAX_KEYWORDS / 2)];

/** Summarizer id of the summaries that replace dropped messages and contain only what was declared in those. */
export const KEPT_FIELDS = "kept-fields@1";

/**
 * Returns the records of a fold, changed so that no drop loses declared fields or references to artifacts: if dropped
 * messages have any, one summary of just these replaces the last such drop, and absorbs those of earlier folds, so that
 * a prompt contains only one at a time. Other drops stay as they are. A fold that has no room for any summary drops
 * everything.
 *
 * @param proposals of this fold: what one of them gathers leaves the prompt because a summary covers it.
 */
export async function withKeptFields(
  records: readonly PlanRecord[],
  proposals: readonly CompactionProposal[],
  fulfilment: Fulfilment,
): Promise<readonly PlanRecord[]> {
  if (fulfilment.summaryMaxTokens === 0) return records;
  const gathered = gatheredIds(proposals, fulfilment);
  const owing: { readonly record: DropRecord; readonly owed: OwedItems }[] = [];
  for (const record of records) {
    if (record.action !== "drop" || record.sincePlanVersion !== fulfilment.planVersion) continue;
    const owed = await owedItems(messagesIn(record.span, gathered, fulfilment), fulfilment);
    if (owed.outcomes.length + owed.artifacts.length > 0) owing.push({ record, owed });
  }
  const home = owing.at(-1)?.record;
  if (home === undefined) return records;
  const earlier = records.filter(isKeptFields);
  const spans = [...earlier.map(({ summary }) => summary.span), ...owing.map(({ record }) => record.span)];
  const changes = owing.flatMap(({ owed }) => additions(owed));
  const kept = keptRecord(home, earlier, joined(spans, fulfilment), changes, fulfilment);
  return records.map((record) =>
    record === home ? kept : isKeptFields(record) ? dropped(record, fulfilment.planVersion) : record,
  );
}

const gatheredIds = (proposals: readonly CompactionProposal[], { shape }: Fulfilment): ReadonlySet<string> =>
  new Set(
    proposals.flatMap((proposal) =>
      proposal.action === "summarize" && proposal.gathers !== undefined
        ? shape.spanOf(proposal.gathers).messageIds
        : [],
    ),
  );

const isKeptFields = (record: PlanRecord): record is SummarizationRecord =>
  record.action === "summarize" && record.summarizer === KEPT_FIELDS;

function messagesIn(
  { messageIds }: SpanReference,
  gathered: ReadonlySet<string>,
  { thread }: Fulfilment,
): readonly Message[] {
  return messageIds.flatMap((id) => (gathered.has(id) ? [] : (thread.message(id) ?? [])));
}

const additions = ({ outcomes, artifacts }: OwedItems): readonly SummaryChange[] => [
  ...outcomes.map((item): SummaryChange => ({ op: "add", section: "toolOutcomes", item })),
  ...artifacts.map((item): SummaryChange => ({ op: "add", section: "artifacts", item })),
];

function joined(spans: readonly SpanReference[], { shape }: Fulfilment): SpanReference {
  const ordinals = new Set(spans.flatMap((span) => knownOrdinals(span, shape)));
  return shape.spanOf([...ordinals].sort((a, b) => a - b));
}

function keptRecord(
  { span, strategy, reason, sincePlanVersion, originalTokens }: DropRecord,
  earlier: readonly SummarizationRecord[],
  whole: SpanReference,
  changes: readonly SummaryChange[],
  { summaryMaxTokens, tokenizer }: Fulfilment,
): SummarizationRecord {
  const previous = earlier.reduce<StructuredSummary | null>(
    (all, { summary }) => (all === null ? summary : mergeSummaries(all, summary, whole).summary),
    null,
  );
  const merged = applySummaryChanges(previous, whole, changes);
  const trimmed = trimSummary(merged.summary, summaryMaxTokens, (text) => tokenizer.countTokens(text));
  return {
    ...{ span, strategy, sincePlanVersion, originalTokens },
    reason: reason + KEPT_ALONG,
    action: "summarize",
    summary: trimmed.summary,
    summaryTokens: trimmed.tokens,
    summarizer: KEPT_FIELDS,
    resolved: [...merged.resolved, ...trimmed.resolved],
  };
}

/** What the reason of a drop goes on with while a summary of kept fields is in its place. */
const KEPT_ALONG = " What their tools declared, and where their bodies are stored, stays.";

/**
 * Drops the summary of an earlier fold's kept fields, because the newer summary now contains them. Why its messages had
 * left the prompt has not changed, so that their record joins those beside it.
 */
function dropped(
  { span, strategy, reason, originalTokens }: SummarizationRecord,
  sincePlanVersion: number,
): DropRecord {
  const why = reason.endsWith(KEPT_ALONG) ? reason.slice(0, -KEPT_ALONG.length) : reason;
  return { span, strategy, originalTokens, sincePlanVersion, reason: why, action: "drop", keywords: [] };
}
