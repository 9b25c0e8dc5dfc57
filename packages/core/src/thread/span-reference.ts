import { historyNotLoaded } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { type MessageId, messageIdSchema, type ToolCallId } from "../model/ids.ts";

/**
 * Identifies a set of messages by an explicit, ordered, non-empty list of ids. Resolving it needs no thread, and later
 * appends cannot change its meaning. Turn numbers are for display.
 */
export interface SpanReference {
  /**
   * Throws `HISTORY_NOT_LOADED` for a span whose ids were left in the store; such a span has an `outline` instead, and
   * serializing or copying it leaves this field out.
   */
  readonly messageIds: readonly MessageId[];
  readonly firstTurn: number;
  readonly lastTurn: number;
  /** What is known about the ids if they were left in the store. */
  readonly outline?: SpanOutline;
}

export const spanReferenceSchema: z.ZodType<SpanReference> = z.lazy(() =>
  z.object({
    messageIds: z.array(messageIdSchema).min(1),
    firstTurn: z.int().nonnegative(),
    lastTurn: z.int().nonnegative(),
  }),
);

/** A part of a log: all its messages from one entry to another, both included. */
export interface MessageRun {
  /** The thread versions that the first and the last of the messages made. */
  readonly fromVersion: number;
  readonly toVersion: number;
  readonly fromOrdinal: number;
  readonly toOrdinal: number;
  /** Tokens of its messages before any folding, by the outline's `tokenizer`; absent when they were not counted. */
  readonly tokens?: number;
  /** Its calls that no result had answered when they were counted; absent for none. */
  readonly unanswered?: readonly ToolCallId[];
}

/** What is known about a span whose ids were left in the store. */
export interface SpanOutline {
  readonly first: MessageId;
  readonly last: MessageId;
  readonly count: number;
  /** The id of the counter of its runs' `tokens`; absent when they were not counted. */
  readonly tokenizer?: string;
  /** The parts of the log that the span consists of, in order. */
  readonly runs: readonly MessageRun[];
}

/**
 * Returns a span that has only its outline in memory. Reading its ids throws `HISTORY_NOT_LOADED`; everything else can
 * be serialized and copied, because hosts log and send plans.
 */
export function outlinedSpan(
  turns: Pick<SpanReference, "firstTurn" | "lastTurn">,
  outline: SpanOutline,
): SpanReference {
  const { firstTurn, lastTurn } = turns;
  const span = Object.defineProperty({ firstTurn, lastTurn, outline: freezeDeep(outline) }, "messageIds", {
    get: (): never => {
      throw historyNotLoaded();
    },
  });
  return Object.freeze(span) as unknown as SpanReference;
}

/** Returns the outline of a span whose ids were left in the store; undefined for a span that has its ids. */
export const outlineOf = (span: SpanReference): SpanOutline | undefined => span.outline;

/** Returns the first message of a span, where its one synthetic message is rendered. */
export const spanStart = (span: SpanReference): MessageId =>
  outlineOf(span)?.first ?? (span.messageIds[0] as MessageId);

/** Returns the last message of a span. */
export const spanEnd = (span: SpanReference): MessageId =>
  outlineOf(span)?.last ?? (span.messageIds[span.messageIds.length - 1] as MessageId);

/** Returns the number of messages in a span. */
export const spanLength = (span: SpanReference): number => outlineOf(span)?.count ?? span.messageIds.length;

/**
 * True when a message is in a span. @throws ThreadfoldError `HISTORY_NOT_LOADED` when its ids were left in the store.
 */
export const spanContains = (span: SpanReference, id: MessageId): boolean => span.messageIds.includes(id);

/** Returns the ids of a span that are in memory: all, or only the first and last if its ids were left in the store. */
export function spanIdsInMemory(span: SpanReference): readonly MessageId[] {
  const outline = outlineOf(span);
  return outline === undefined ? span.messageIds : [outline.first, outline.last];
}

/** A part of a thread by position: all messages from one ordinal to another, both included. */
export interface OrdinalRun {
  readonly from: number;
  readonly to: number;
}

/** Keyed by the list of ids, because spans are copied but their lists are not. */
const runsByIds = new WeakMap<readonly MessageId[], readonly OrdinalRun[]>();

/**
 * Returns the positions of a span's messages, as unbroken runs in order. They are looked up only once for each list of
 * ids, so what an earlier plan removed from the prompt is not looked up again at each fold (P9).
 *
 * @param ordinalOf returns the ordinal of a message in the span's thread; undefined when it has no such message.
 * @returns undefined when the thread lacks one of the messages or has them in another order.
 */
export function runsOfSpan(
  { messageIds }: SpanReference,
  ordinalOf: (id: MessageId) => number | undefined,
): readonly OrdinalRun[] | undefined {
  const known = runsByIds.get(messageIds);
  if (known !== undefined) return standsAt(messageIds, known, ordinalOf) ? known : undefined;
  const runs: { from: number; to: number }[] = [];
  for (const id of messageIds) {
    const ordinal = ordinalOf(id);
    const run = runs.at(-1);
    if (ordinal === undefined || (run !== undefined && ordinal <= run.to)) return undefined;
    if (run?.to === ordinal - 1) run.to = ordinal;
    else runs.push({ from: ordinal, to: ordinal });
  }
  runsByIds.set(messageIds, runs);
  return runs;
}

/** Logs are never rewritten, so the two ends tell whether a list of ids is used with the thread it was looked up in. */
const standsAt = (
  ids: readonly MessageId[],
  runs: readonly OrdinalRun[],
  ordinalOf: (id: MessageId) => number | undefined,
): boolean =>
  ordinalOf(ids[0] as MessageId) === runs[0]?.from && ordinalOf(ids.at(-1) as MessageId) === runs.at(-1)?.to;

/** Returns the positions of a span's messages if they were looked up before; see {@link runsOfSpan}. */
export const knownRunsOf = ({ messageIds }: SpanReference): readonly OrdinalRun[] | undefined =>
  runsByIds.get(messageIds);

/**
 * Returns the messages of a span whose positions tell where all of them are: the first and the last of each of its runs,
 * if they were looked up before; otherwise all messages.
 */
export function borderIds(span: SpanReference): readonly MessageId[] {
  const runs = knownRunsOf(span);
  return runs === undefined ? span.messageIds : runBorders(span, runs).flat();
}

/** Returns the first and the last message of each run of a span. */
export function runBorders(
  { messageIds }: SpanReference,
  runs: readonly OrdinalRun[],
): readonly (readonly [MessageId, MessageId])[] {
  let start = 0;
  return runs.map(({ from, to }) => {
    const first = messageIds[start] as MessageId;
    start += to - from + 1;
    return [first, messageIds[start - 1] as MessageId];
  });
}

/** Records the positions of a list of ids, for code that built the list from ordinals. */
export function placeIds(messageIds: readonly MessageId[], runs: readonly OrdinalRun[]): void {
  runsByIds.set(messageIds, runs);
}

/** What is counted of an unbroken run of messages. */
export type RunCount = Required<Pick<MessageRun, "tokens" | "unanswered">>;

/** The tokens and unanswered calls of a span's messages before any folding, by run, and the id of the counter. */
export interface CountedRuns {
  readonly tokenizer: string;
  readonly runs: readonly RunCount[];
}

/** Keyed by the list of ids, like their positions. */
const countsByIds = new WeakMap<readonly MessageId[], CountedRuns>();

/** Records what was counted of the runs of a list of ids, so that a store can keep them with the list's outline. */
export function countIds(messageIds: readonly MessageId[], counted: CountedRuns): void {
  countsByIds.set(messageIds, counted);
}

/** Returns what was counted of a span's runs, if that was recorded. */
export const countedRunsOf = ({ messageIds }: SpanReference): CountedRuns | undefined => countsByIds.get(messageIds);

/** Returns the span of the given messages: at least one, in thread order. */
export function spanOf(messages: readonly { readonly id: MessageId; readonly turn: number }[]): SpanReference {
  const first = messages[0];
  const last = messages[messages.length - 1];
  if (first === undefined || last === undefined) throw new RangeError("A span holds at least one message.");
  return { messageIds: messages.map((message) => message.id), firstTurn: first.turn, lastTurn: last.turn };
}
