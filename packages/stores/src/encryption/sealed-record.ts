import {
  canonicalJson,
  digestOf,
  freezeDeep,
  type MessageId,
  outlineOf,
  type PlanId,
  type PlanRecord,
  parseJson,
  type SpanReference,
  spanEnd,
  spanLength,
  spanStart,
} from "@threadfold/core";
import { unsealFailed } from "./sealed-envelope.ts";

/** What can only be reckoned from all of a plan and all of its thread, for who reads a part of them. */
export interface PlanHead {
  readonly planId: PlanId;
  /** The thread's digest at the plan's thread version. */
  readonly threadDigest: string;
}

/** What an envelope says of the span that stands in the clear beside it. */
interface SpanSeal {
  readonly first: MessageId;
  readonly last: MessageId;
  readonly count: number;
  readonly firstTurn: number;
  readonly lastTurn: number;
  /** SHA-256 of the span with all its ids. */
  readonly digest: string;
}

/** A record's content as it is sealed: what its span says is told by a seal, so that its ids are kept once. */
interface WrittenRecord {
  readonly head?: PlanHead;
  readonly record: { readonly span: SpanSeal; readonly summary?: { readonly span: SpanReference | "record" } };
}

/** A record that was opened, and the plan's head where it was sealed with it. */
export interface OpenedRecord {
  readonly record: PlanRecord;
  readonly head?: PlanHead;
}

/** A record as the text that is sealed. */
export function writeRecord(record: PlanRecord, head?: PlanHead): string {
  const { span } = record;
  const isSame = "summary" in record && canonicalJson(record.summary.span) === canonicalJson(span);
  const content = { ...record, ...(isSame && { summary: { ...record.summary, span: "record" } }), span: sealOf(span) };
  return canonicalJson({ record: content, ...(head !== undefined && { head }) });
}

/**
 * The record in an envelope, with the span beside it.
 *
 * @throws ThreadfoldError `UNSEAL_FAILED` when that span is not the one that was sealed. Of a span whose ids were left in
 * the store only its ends and their number can be held against the seal.
 */
export function readRecord(text: string, span: SpanReference): OpenedRecord {
  const written = parseJson(text) as WrittenRecord | PlanRecord;
  // Records were sealed with all their ids before parts of threads could be read.
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

/** A span is frozen already, and asking one whose ids were left in the store for them is an error. */
function frozen(value: object): object {
  for (const [key, item] of Object.entries(value)) {
    if (key === "summary") frozen(item);
    else if (key !== "span") freezeDeep(item);
  }
  return Object.freeze(value);
}
