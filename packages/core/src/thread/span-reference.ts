import { historyNotLoaded } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { type MessageId, messageIdSchema } from "../model/ids.ts";

/**
 * Names a run of messages by its explicit, ordered, non-empty list of ids. It needs no thread to be resolved,
 * and later appends cannot change what it means. Turn numbers are for display.
 */
export interface SpanReference {
  /**
   * Throws `HISTORY_NOT_LOADED` for a span whose ids were left in the store, which has an `outline` in their place: it
   * is not a field of such a span when that is serialized or copied.
   */
  readonly messageIds: readonly MessageId[];
  readonly firstTurn: number;
  readonly lastTurn: number;
  /** What is known of the ids when they were left in the store. */
  readonly outline?: SpanOutline;
}

export const spanReferenceSchema: z.ZodType<SpanReference> = z.object({
  messageIds: z.array(messageIdSchema).min(1),
  firstTurn: z.int().nonnegative(),
  lastTurn: z.int().nonnegative(),
});

/** A part of a log: all its messages from one entry to another, both included. */
export interface MessageRun {
  /** The thread's version with the first and with the last of the messages. */
  readonly fromVersion: number;
  readonly toVersion: number;
  readonly fromOrdinal: number;
  readonly toOrdinal: number;
}

/** What is known of a span whose ids were left in the store. */
export interface SpanOutline {
  readonly first: MessageId;
  readonly last: MessageId;
  readonly count: number;
  /** The parts of the log that the span consists of, in order. */
  readonly runs: readonly MessageRun[];
}

/**
 * A span of which only the outline is in memory. Reading its ids throws `HISTORY_NOT_LOADED`; all else of it is data that
 * can be serialized and copied, since a plan is what hosts log and send.
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

/** The outline of a span whose ids were left in the store; undefined for one that holds its ids. */
export const outlineOf = (span: SpanReference): SpanOutline | undefined => span.outline;

/** The first message of a span: where its one synthetic message is rendered. */
export const spanStart = (span: SpanReference): MessageId =>
  outlineOf(span)?.first ?? (span.messageIds[0] as MessageId);

/** The last message of a span. */
export const spanEnd = (span: SpanReference): MessageId =>
  outlineOf(span)?.last ?? (span.messageIds[span.messageIds.length - 1] as MessageId);

/** How many messages a span names. */
export const spanLength = (span: SpanReference): number => outlineOf(span)?.count ?? span.messageIds.length;

/** True when a span names a message. @throws ThreadfoldError `HISTORY_NOT_LOADED` when its ids were left in the store. */
export const spanContains = (span: SpanReference, id: MessageId): boolean => span.messageIds.includes(id);

/** The ids of a span that are in memory: all of them, or the first and the last when the others were left in the store. */
export function spanIdsInMemory(span: SpanReference): readonly MessageId[] {
  const outline = outlineOf(span);
  return outline === undefined ? span.messageIds : [outline.first, outline.last];
}

/** A part of a thread by place: all its messages from one ordinal to another, both included. */
export interface OrdinalRun {
  readonly from: number;
  readonly to: number;
}

/** By the list of ids, because spans are copied and their lists are not. */
const runsByIds = new WeakMap<readonly MessageId[], readonly OrdinalRun[]>();

/**
 * Where the messages of a span stand, as unbroken runs in order. Looked up once for a list of ids: what an earlier plan
 * took out of the prompt is not looked up again at each fold (P9).
 *
 * @param ordinalOf the ordinal of a message in the thread that the span is of; undefined when it has no such message.
 * @returns undefined when the thread lacks one of the messages, or has them in another order.
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

/** The ends say whether a list of ids is used with the thread that it was looked up in: logs are never rewritten. */
const standsAt = (
  ids: readonly MessageId[],
  runs: readonly OrdinalRun[],
  ordinalOf: (id: MessageId) => number | undefined,
): boolean =>
  ordinalOf(ids[0] as MessageId) === runs[0]?.from && ordinalOf(ids.at(-1) as MessageId) === runs.at(-1)?.to;

/** Where the messages of a list of ids stand, if somebody looked; see {@link runsOfSpan}. */
export const knownRunsOf = ({ messageIds }: SpanReference): readonly OrdinalRun[] | undefined =>
  runsByIds.get(messageIds);

/** Remembers where the messages of a list of ids stand, for whoever made the list from their ordinals. */
export function placeIds(messageIds: readonly MessageId[], runs: readonly OrdinalRun[]): void {
  runsByIds.set(messageIds, runs);
}

/** A span over the given messages, which must be in thread order and at least one. */
export function spanOf(messages: readonly { readonly id: MessageId; readonly turn: number }[]): SpanReference {
  const first = messages[0];
  const last = messages[messages.length - 1];
  if (first === undefined || last === undefined) throw new RangeError("A span holds at least one message.");
  return { messageIds: messages.map((message) => message.id), firstTurn: first.turn, lastTurn: last.turn };
}
