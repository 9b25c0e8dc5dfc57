import { type SummaryBill, ThreadfoldError } from "@threadfold/core";
import {
  type AttemptRow,
  type BlockRow,
  type BreakRow,
  type CallRow,
  callBlocks,
  type InspectionIndex,
  type RecordRow,
  rowAt,
} from "@threadfold/inspection";
import { erasedThread } from "../store/stored-thread.ts";

/** The `data` of `context --json`. It is a public interface: fields are added but never changed. */
export interface ContextData {
  readonly threadId: string;
  /** The title that the thread was given; null for none. */
  readonly title: string | null;
  /** The number of the call, from 1, and the number of all calls. */
  readonly call: number;
  readonly calls: number;
  readonly planVersion: number;
  /** When the request was made: ISO 8601 in UTC. */
  readonly at: string;
  readonly format: string;
  readonly model: string | null;
  readonly tokens: number;
  /** Maximum tokens of the request, as the provider counts them; null when unknown. */
  readonly limit: number | null;
  /** Tokens that the provider was expected to count: what `limit` limits. */
  readonly estimated: number;
  /** The tokens of each kind of content, which add up to `tokens`. */
  readonly shares: Readonly<Record<ShareName, number>>;
  readonly input: Pick<CallRow, "inputTokens" | "cached" | "written" | "fresh" | "reported" | "cost" | "dollars">;
  /** The usage of summaries and of the provider's own compactions since the previous call. */
  readonly beside: readonly Pick<
    SummaryBill,
    "by" | "model" | "calls" | "inputTokens" | "cacheReadTokens" | "outputTokens" | "reported" | "dollars"
  >[];
  readonly missed: Pick<CallRow, "cause"> & { readonly tokens: number };
  /** Where the request differs from the previous one; null when it extends it. */
  readonly difference: Omit<BreakRow, "call"> | null;
  readonly digest: string;
  readonly replay: CallRow["replay"];
  /** Folds that were due before the call but produced no plan: the outcome of each, and who vetoed it. */
  readonly notFolded: readonly Pick<AttemptRow, "outcome" | "veto">[];
  /** The request in the provider's order. */
  readonly blocks: readonly ContextBlock[];
  /** Number of messages in the thread at that time that the request does not show unchanged. */
  readonly folded: number;
}

/** A block of a request. */
export interface ContextBlock extends Pick<BlockRow, "action" | "role" | "tokens"> {
  /** Ids of the first and the last message that the block represents; null for none. */
  readonly from: string | null;
  readonly to: string | null;
  /** True when the previous request had the block at the same position, after the same blocks. */
  readonly shared: boolean;
  /** The reason for the block, if a fold made it. */
  readonly reason: string | null;
}

export const SHARE_NAMES = [
  "system",
  "tools",
  "pins",
  "kept",
  "cleared",
  "summaries",
  "pointers",
  "rehydrated",
  "overhead",
] as const;
type ShareName = (typeof SHARE_NAMES)[number];

/**
 * Returns what a call saw, as figures and blocks.
 *
 * @param number number of the call, from 1; the newest by default.
 * @throws ThreadfoldError `USAGE` when there is no such call, `CONTENT_ERASED` for an erased thread.
 */
export function contextData(index: InspectionIndex, number?: number): ContextData {
  if (index.erased !== null) throw erasedContent(index.thread.id, index.erased);
  const calls = index.calls.sequence.length;
  const call = (number ?? calls) - 1;
  if (call < 0 || call >= calls) throw noSuchCall(index.thread.id, calls);
  const row = rowAt(index.calls, call);
  const { cached, written, fresh, inputTokens, reported, cost, dollars } = row;
  const frame = index.frames[row.frame];
  const blocks = callBlocks(index, call);
  const found = index.breaks[row.break];
  return {
    ...{ threadId: index.thread.id, title: index.thread.title },
    ...{ call: call + 1, calls, planVersion: row.planVersion, at: new Date(row.at).toISOString() },
    ...{ format: frame?.format ?? "", model: frame?.model ?? null, tokens: row.tokens, limit: row.limit },
    estimated: row.estimated,
    shares: Object.fromEntries(SHARE_NAMES.map((name) => [name, row[name]])) as ContextData["shares"],
    input: { inputTokens, cached, written, fresh, reported, cost, dollars },
    beside: askedBefore(index, call),
    missed: { cause: row.cause, tokens: row.missed },
    difference: found === undefined ? null : withoutCall(found),
    ...{ digest: row.digest, replay: row.replay },
    notFolded: index.attempts
      .filter((attempt) => attempt.call === call - 1)
      .map(({ outcome, veto }) => ({ outcome, veto })),
    blocks: blocks.map((place, at) => contextBlock(index, rowAt(index.blocks, place), at < row.shared)),
    folded: row.messages - blocks.filter((place) => index.blocks.action[place] === "include").length,
  };
}

function askedBefore({ bill, calls }: InspectionIndex, call: number): ContextData["beside"] {
  const from = calls.sequence[call - 1] ?? 0;
  const to = calls.sequence[call] ?? 0;
  const between = bill.summaries.filter(({ sequence }) => sequence > from && sequence < to);
  return between.map(
    ({ sequence: _sequence, outcome: _outcome, planVersion: _plan, summarizer: _of, ...asked }) => asked,
  );
}

const withoutCall = ({ call: _call, ...rest }: BreakRow): Omit<BreakRow, "call"> => rest;

function contextBlock({ messages, records }: InspectionIndex, block: BlockRow, shared: boolean): ContextBlock {
  const { action, role, tokens, from, to, record } = block;
  const idOf = (ordinal: number): string | null => messages.id[ordinal] ?? null;
  const made: RecordRow | undefined = records[record];
  return { action, role, tokens, from: idOf(from), to: idOf(to), shared, reason: made?.reason ?? null };
}

const erasedContent = (threadId: string, erased: NonNullable<InspectionIndex["erased"]>): ThreadfoldError =>
  erasedThread(threadId, { ...erased, at: new Date(erased.at).toISOString() });

function noSuchCall(threadId: string, calls: number): ThreadfoldError {
  if (calls > 0)
    return new ThreadfoldError("USAGE", `Thread ${threadId} has no such call.`, {
      hint: `Its calls are 1 to ${calls}.`,
    });
  return new ThreadfoldError("USAGE", `No call of thread ${threadId} was recorded, so there is nothing to show.`, {
    hint: "Only sessions with a journal record calls. threadfold render shows the request that its plan produces now.",
  });
}
