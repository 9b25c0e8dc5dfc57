import {
  applySummaryChanges,
  attributedSummary,
  combineHandling,
  EventLoopTurns,
  handlingOf,
  lastTurnAfter,
  liftedPins,
  type Message,
  mergeSummaries,
  type PlanRecord,
  type PlanRecords,
  type ResolvedItem,
  renderSummary,
  type SpanReference,
  type Steps,
  type StructuredSummary,
  type SummarizationRecord,
  type SummarizeRequest,
  type SummaryChange,
  type SummaryHandling,
  spanEnd,
  ThreadfoldError,
  trimSummary,
  withoutLiftedRules,
} from "@threadfold/core";
import { type CompactionProposal, summaryLimit } from "@threadfold/strategies";
import { codedChanges, type OwedItems, owedItems, reservedTokens } from "./coded-changes.ts";
import { FLOOR, floorSummaryChanges } from "./floor-summary.ts";
import { type Fulfilment, knownOrdinals, recordBase } from "./fulfilment.ts";

type SummarizeProposal = CompactionProposal & { readonly action: "summarize" };

/**
 * Summarizes a span on top of the summaries inside it: raw text that they already cover is not read again. When the
 * summarizer fails or says nothing, a summary made without it is used instead, so that a fold never fails because of it
 * (P6), except with `keepsOnFailure`. Whoever wrote the summary, code adds its own items and attributes each item to
 * its speaker.
 */
export async function summarizationRecord(proposal: SummarizeProposal, fold: Fulfilment): Promise<SummarizationRecord> {
  const turns = new EventLoopTurns();
  const summaryMaxTokens = await turns.finish(summaryTokensOf(proposal, fold), fold.signal);
  const fulfilment = { ...fold, summaryMaxTokens };
  const base = recordBase(proposal, fulfilment);
  await turns.take();
  const whole = wholeOf(proposal);
  const former = formerOrdinals(proposal, fulfilment);
  const { summary: previous, resolved: joined } = await turns.finish(
    joinedSummaries(proposal, former, fulfilment),
    fold.signal,
  );
  const span = await turns.finish(standsFor(whole, former, fulfilment), fold.signal);
  const covered = coveredOrdinals(proposal, fulfilment);
  await turns.take();
  const messages = await turns.finish(messagesBeside(covered, whole, fulfilment), fold.signal);
  const overlap = (proposal.overlap ?? []).map((ordinal) => fulfilment.thread.messageAt(ordinal) as Message);
  const owed = await owedItems(messages, fulfilment);
  await turns.take();
  // A summary that only has to become shorter has nothing new to read.
  const { changes, summarizer } =
    messages.length === 0
      ? { changes: [], summarizer: proposal.absorbs.at(-1)?.summarizer ?? fold.summarizer.id }
      : await changesOf({ messages, overlap, span, previous }, owed, fulfilment);
  await turns.take();
  const countTokens = (text: string) => fulfilment.tokenizer.countTokens(text);
  const merged = applySummaryChanges(previous, span, codedChanges(changes, previous, span, owed, fulfilment));
  await turns.take();
  const attributed = attributedSummary(merged.summary, (id) => fulfilment.thread.message(id));
  await turns.take();
  const trimmed = trimSummary(attributed.summary, fulfilment.summaryMaxTokens, countTokens);
  await turns.take();
  const handling = await turns.finish(handlingAfter(previous, messages), fold.signal);
  return {
    ...base,
    // Turns are for display: those that the summary covers, even if messages in between stayed.
    span: { ...base.span, firstTurn: span.firstTurn },
    action: "summarize",
    summary: handling === undefined ? trimmed.summary : { ...trimmed.summary, handling },
    summaryTokens: trimmed.tokens + FRAME_TOKENS,
    summarizer,
    // What earlier folds resolved is in their plans: if it were repeated here, plans would grow with the history.
    resolved: [...joined, ...merged.resolved, ...attributed.resolved, ...trimmed.resolved],
  };
}

/**
 * Counts again the summaries that normalizing divided, because each part still has the tokens of the whole.
 *
 * @param counted records whose tokens are right, with those of the current plan.
 */
export function withCountedParts(
  records: PlanRecords,
  counted: readonly PlanRecord[],
  { tokenizer }: Pick<Fulfilment, "tokenizer">,
): PlanRecords {
  const known = new Set(counted.flatMap((record) => (record.action === "summarize" ? [record.summary] : [])));
  const summarizations = records.summarizations.map((record) => {
    if (known.has(record.summary)) return record;
    return { ...record, summaryTokens: tokenizer.countTokens(renderSummary(record.summary)) + FRAME_TOKENS };
  });
  return { ...records, summarizations };
}

/** Returns all messages of a proposal: those that it gathers and those that it summarizes in place. */
const wholeOf = ({ gathers, ordinals }: SummarizeProposal): readonly number[] =>
  gathers === undefined ? ordinals : [...gathers, ...ordinals];

/** Messages that are processed in one step, in less than a millisecond. */
const AT_A_TIME = 4_096;

/** Returns the maximum tokens of the summary of a span. */
function* summaryTokensOf(proposal: SummarizeProposal, fold: Fulfilment): Steps<number> {
  const covered = coveredOrdinals(proposal, fold);
  let rawTokens = 0;
  for (const [index, ordinal] of wholeOf(proposal).entries()) {
    const { branch, tokens } = fold.shape.header(ordinal);
    if (branch === undefined && !covered.has(ordinal)) rawTokens += tokens;
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
  }
  const limit = summaryLimit({ rawTokens, absorbs: proposal.absorbs }, fold);
  return Math.min(limit, proposal.maxTokens ?? limit);
}

/** Returns the messages that existing summaries already cover. */
const coveredOrdinals = (
  { absorbs }: Pick<SummarizeProposal, "absorbs">,
  { shape }: Pick<Fulfilment, "shape">,
): ReadonlySet<number> => new Set(absorbs.flatMap(({ span }) => knownOrdinals(span, shape)));

/** Returns the messages of the main branch that no existing summary covers. */
function* messagesBeside(
  covered: ReadonlySet<number>,
  ordinals: readonly number[],
  { thread }: Fulfilment,
): Steps<readonly Message[]> {
  const messages: Message[] = [];
  for (const [index, ordinal] of ordinals.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    const message = thread.messageAt(ordinal) as Message;
    if (message.branch === undefined && !covered.has(ordinal)) messages.push(message);
  }
  return messages;
}

/** Returns everything that the summaries inside the span stand for, including what earlier ones gathered, in order. */
function formerOrdinals({ absorbs }: SummarizeProposal, { shape }: Fulfilment): readonly number[] {
  const all = absorbs.flatMap(({ summary }) => knownOrdinals(summary.span, shape));
  return absorbs.length < 2 ? all : inOrder(all);
}

const inOrder = (ordinals: readonly number[]): readonly number[] => [...new Set(ordinals)].sort((a, b) => a - b);

/** Returns everything that the new summary covers. */
function* standsFor(
  ordinals: readonly number[],
  former: readonly number[],
  { shape }: Fulfilment,
): Steps<SpanReference> {
  const isInOrder =
    former.length === 0 && ordinals.every((ordinal, index) => index === 0 || ordinal > (ordinals[index - 1] as number));
  yield;
  return yield* shape.spanInSteps(isInOrder ? ordinals : inOrder([...former, ...ordinals]));
}

/** Returns the handling of a summary: that of the least trusted and most sensitive content that it covers. */
function* handlingAfter(
  previous: StructuredSummary | null,
  messages: readonly Message[],
): Steps<SummaryHandling | undefined> {
  let handling = previous?.handling;
  for (let from = 0; from < messages.length; from += AT_A_TIME) {
    const added = handlingOf(messages.slice(from, from + AT_A_TIME));
    handling = from === 0 && previous === null ? added : combineHandling(handling, added);
    yield;
  }
  return handling;
}

/** Tokens that rendering adds around a summary. */
const FRAME_TOKENS = 20;

/** Merges the summaries inside the span, and returns what the later ones superseded. */
function* joinedSummaries(
  { absorbs }: SummarizeProposal,
  former: readonly number[],
  { shape }: Fulfilment,
): Steps<{ readonly summary: StructuredSummary | null; readonly resolved: readonly ResolvedItem[] }> {
  const [first, ...later] = absorbs;
  if (first === undefined || later.length === 0) return { summary: first?.summary ?? null, resolved: [] };
  const span = yield* shape.spanInSteps(former);
  const resolved: ResolvedItem[] = [];
  let { summary } = first;
  for (const next of later) {
    yield;
    const merged = mergeSummaries(summary, next.summary, span);
    for (const item of merged.resolved) resolved.push(item);
    summary = merged.summary;
  }
  return { summary, resolved };
}

async function changesOf(
  work: Pick<SummarizeRequest, "messages" | "span" | "previous"> & { readonly overlap: readonly Message[] },
  owed: OwedItems,
  fulfilment: Fulfilment,
): Promise<{ readonly changes: readonly SummaryChange[]; readonly summarizer: string }> {
  const { summarizer, tokenizer, thread, signal, instructions, summaryMaxTokens, keepsOnFailure = false } = fulfilment;
  const { messages, overlap, span, previous } = work;
  const lastTurn = lastTurnAfter(thread, spanEnd(span));
  try {
    const {
      changes,
      by = summarizer.id,
      nothingToSay,
      instructionsUnused,
      problem,
    } = await summarizer.summarize({
      threadId: thread.id,
      span,
      messages,
      previous,
      ...(overlap.length > 0 && { overlap }),
      ...(lastTurn !== undefined && { lastTurn }),
      pins: thread.livePins,
      maxTokens: summaryMaxTokens - reservedTokens(owed, fulfilment),
      countTokens: (text) => tokenizer.countTokens(text),
      ...(instructions !== undefined && { instructions }),
      ...(signal !== undefined && { signal }),
    });
    if (problem !== undefined && keepsOnFailure) throw new ThreadfoldError("SUMMARIZER_FAILED", problem);
    if (problem !== undefined) fulfilment.onSummarizerFailure(problem);
    if (changes.length > 0 && instructionsUnused !== true) fulfilment.onInstructionsUsed();
    const settled = withoutLiftedRules(changes, previous, liftedPins(thread));
    if (changes.length > 0) return { changes: settled, summarizer: by };
    const silent = `${summarizer.id} gave no summary`;
    if (keepsOnFailure) throw new ThreadfoldError("SUMMARIZER_FAILED", silent);
    if (nothingToSay === true && previous !== null) return { changes: [], summarizer: by };
    if (nothingToSay === true) return { changes: floorSummaryChanges(messages, span, true), summarizer: FLOOR };
    fulfilment.onSummarizerFailure(silent);
  } catch (cause) {
    signal?.throwIfAborted();
    if (keepsOnFailure && ThreadfoldError.isInstance(cause)) throw cause;
    const failure = `${summarizer.id}: ${cause instanceof Error ? cause.message : "failed"}`;
    if (keepsOnFailure) throw new ThreadfoldError("SUMMARIZER_FAILED", failure, { cause });
    fulfilment.onSummarizerFailure(failure);
  }
  return { changes: floorSummaryChanges(messages, span), summarizer: FLOOR };
}
