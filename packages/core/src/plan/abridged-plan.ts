import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { freezeDeep, type JsonObject, textSchema } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import * as z from "../json/schema.ts";
import { continuedList, digestOf, listDigest } from "../json/sha256.ts";
import { type MessageId, messageIdSchema, toolCallIdSchema } from "../model/ids.ts";
import {
  countedRunsOf,
  type MessageRun,
  outlinedSpan,
  outlineOf,
  placeIds,
  runBorders,
  runsOfSpan,
  type SpanOutline,
  type SpanReference,
} from "../thread/span-reference.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import {
  type CompactionPlan,
  checkedPlan,
  checkPlanSchema,
  groupRecords,
  planRecords,
  serializePlan,
} from "./compaction-plan.ts";
import { mapLists, type PlanRecord, type PlanRecords, RECORD_KINDS, removesMessages } from "./plan-record.ts";

/** Version of the abridged form. */
const ABRIDGED_VERSION = 1;
/** How every plan in abridged form begins, and no other. */
const PREFIX = `{"abridged":${ABRIDGED_VERSION},`;
/** Spans of fewer messages than this, and scattered ones, take less room unabridged. */
const FEWEST_IDS = 4;
const IDS_PER_RUN = 4;

/** The position of a message in its log. */
export interface MessagePlace {
  /** The thread version that the message made. */
  readonly version: number;
  readonly ordinal: number;
}

/**
 * Serializes a plan in the form in which a store keeps it with its thread: spans that it removes from the prompt refer
 * to parts of the log, from which their ids can be read when needed. The cost of storing and reading a plan then
 * depends on how much it shows and not on how much it hides (P9). Plans without long spans keep their ordinary form.
 *
 * @param placeOf returns the position of a message; undefined if it is unknown, and then its span is not abridged. It is
 * asked for the {@link borderIds} of spans.
 */
export function abridgePlan(plan: CompactionPlan, placeOf: (id: MessageId) => MessagePlace | undefined): string {
  let isAbridged = false;
  const records = planRecords(plan).map((record) => {
    const outline = removesMessages(record) ? outlineFor(record.span, placeOf) : null;
    if (outline === null) return record;
    isAbridged = true;
    return writtenRecord(record, outline);
  });
  if (!isAbridged) return serializePlan(plan);
  const abridged = { ...plan, ...groupRecords(records as readonly PlanRecord[]) };
  return canonicalJson({ abridged: ABRIDGED_VERSION, digest: digestOf(abridged), plan: abridged });
}

/** True for a plan in abridged form. */
export const isAbridgedPlan = (text: string): boolean => text.startsWith(PREFIX);

/**
 * Reads an abridged plan and leaves the ids of its long spans in the store. The plan can be rendered; whatever needs
 * the missing ids throws `HISTORY_NOT_LOADED`.
 *
 * @throws ThreadfoldError `INVALID_PLAN` when the text is not an abridged plan, or was changed after it was written.
 */
export function parseAbridgedPlan(text: string): CompactionPlan {
  const written = readAbridged(text);
  const checked = checkPlanSchema(mapSpans(written, (outline, turns) => ({ ...turns, messageIds: [outline.first] })));
  const lists = mapLists((list) =>
    Object.freeze(checked[list].map((record, index) => readRecord(record, writtenRecords(written, list)[index]))),
  );
  return Object.freeze({ ...checked, ...lists });
}

/** Returns the parts of a log that an abridged plan refers to. */
export const runsOfAbridged = (text: string): readonly MessageRun[] => {
  const runs: MessageRun[] = [];
  mapSpans(readAbridged(text), (outline, turns) => {
    for (const run of outline.runs) runs.push(run);
    return turns;
  });
  return runs;
};

/** The id and ordinal of a message in a log. */
export interface PlacedMessage {
  readonly id: MessageId;
  readonly ordinal: number;
}

/**
 * Returns the whole plan that an abridged one was made from.
 *
 * @param messagesOf returns the messages in a part of the log, in order.
 * @throws ThreadfoldError `INVALID_PLAN` when the log does not have the messages that the plan refers to, or the plan
 * with their ids does not match its own id.
 */
export const expandPlan = (text: string, messagesOf: MessagesOfRun): CompactionPlan =>
  finishSteps(expandPlanInSteps(text, messagesOf));

/** Does the same as {@link expandPlan}, in steps. */
export function* expandPlanInSteps(text: string, messagesOf: MessagesOfRun): Steps<CompactionPlan> {
  const { planId, schemaVersion: _version, ...content } = parseAbridgedPlan(text);
  const records: PlanRecord[] = [];
  for (const record of planRecords(content)) records.push(yield* withIdsOf(record, messagesOf));
  return checkedPlan({ ...content, ...groupRecords(records) }, planId);
}

type MessagesOfRun = (run: MessageRun) => readonly PlacedMessage[];

/** Returns a record with the ids of its outlined span, which a summary of the same span shares. */
function* withIdsOf(record: PlanRecord, messagesOf: MessagesOfRun): Steps<PlanRecord> {
  const { span } = record;
  const outline = outlineOf(span);
  if (outline === undefined) return record;
  const messageIds = yield* idsInSteps(outline, messagesOf);
  // A fold would otherwise look up every one of them again.
  placeIds(
    messageIds,
    outline.runs.map(({ fromOrdinal: from, toOrdinal: to }) => ({ from, to })),
  );
  const whole = { messageIds, firstTurn: span.firstTurn, lastTurn: span.lastTurn };
  if (!("summary" in record) || record.summary.span !== span) return { ...record, span: whole };
  return { ...record, span: whole, summary: { ...record.summary, span: whole } };
}

/**
 * Returns the text of the whole plan that an abridged one was made from. Its id is not checked, because the caller
 * reads it with `parsePlan`, which does so.
 *
 * @throws ThreadfoldError `INVALID_PLAN` when the log does not have the messages that the plan refers to.
 */
export const spellOutPlan = (text: string, messagesOf: MessagesOfRun): string =>
  canonicalJson(
    mapSpans(readAbridged(text), (outline, turns) => ({
      ...turns,
      messageIds: finishSteps(idsInSteps(outline, messagesOf)),
    })),
  );

/** Ids that are read and hashed in one step, in a few milliseconds. A step also copies the list so far. */
const IDS_AT_A_TIME = 65_536;

/** Reads the ids of an outlined span, and hashes them on the way if there are very many. */
function* idsInSteps(outline: SpanOutline, messagesOf: MessagesOfRun): Steps<readonly MessageId[]> {
  let ids: readonly MessageId[] = [];
  let more: MessageId[] = [];
  for (const run of outline.runs) {
    const messages = messagesOf(run);
    if (messages.length !== run.toOrdinal - run.fromOrdinal + 1) throw notAsWritten();
    for (const [index, { id, ordinal }] of messages.entries()) {
      if (ordinal !== run.fromOrdinal + index) throw notAsWritten();
      more.push(id);
      if (more.length < IDS_AT_A_TIME) continue;
      ids = continuedList(ids, more);
      listDigest(ids);
      more = [];
      yield;
    }
  }
  ids = continuedList(ids, more);
  if (ids.length !== outline.count || ids[0] !== outline.first || ids.at(-1) !== outline.last) throw notAsWritten();
  return ids;
}

/** Returns the parts of the log that a plan hides and whose ids were left in the store. */
export function hiddenRuns(plan: CompactionPlan): readonly MessageRun[] {
  return planRecords(plan).flatMap(({ span }) => outlineOf(span)?.runs ?? []);
}

function outlineFor(span: SpanReference, placeOf: (id: MessageId) => MessagePlace | undefined): SpanOutline | null {
  const { messageIds } = span;
  if (messageIds.length < FEWEST_IDS) return null;
  const known = runsOfSpan(span, (id) => placeOf(id)?.ordinal);
  if (known === undefined || known.length * IDS_PER_RUN > messageIds.length) return null;
  const counted = countedRunsOf(span);
  const runs: MessageRun[] = [];
  for (const [index, [first, last]] of runBorders(span, known).entries()) {
    const [from, to] = [placeOf(first), placeOf(last)];
    if (from === undefined || to === undefined) return null;
    const { version: fromVersion, ordinal: fromOrdinal } = from;
    const { tokens, unanswered = [] } = counted?.runs[index] ?? {};
    const places = { fromVersion, toVersion: to.version, fromOrdinal, toOrdinal: to.ordinal };
    const isOpen = unanswered.length > 0;
    runs.push({ ...places, ...(tokens !== undefined && { tokens }), ...(isOpen && { unanswered }) });
  }
  const [first, last] = [messageIds[0] as MessageId, messageIds.at(-1) as MessageId];
  return { first, last, count: messageIds.length, runs, ...(counted && { tokenizer: counted.tokenizer }) };
}

/** Returns a record with an outline as its span. A summary of the same span refers to it instead of repeating it. */
function writtenRecord(record: PlanRecord, outline: SpanOutline): object {
  const { firstTurn, lastTurn } = record.span;
  const span = { outline, firstTurn, lastTurn };
  if (!("summary" in record)) return { ...record, span };
  const isSame = isSameSpan(record.summary.span, record.span);
  return { ...record, span, summary: isSame ? { ...record.summary, span: "record" } : record.summary };
}

const isSameSpan = (a: SpanReference, b: SpanReference): boolean =>
  a.firstTurn === b.firstTurn &&
  a.lastTurn === b.lastTurn &&
  (a.messageIds === b.messageIds ||
    (a.messageIds.length === b.messageIds.length && a.messageIds.every((id, index) => id === b.messageIds[index])));

const outlineSchema: z.ZodType<SpanOutline> = z.lazy(() =>
  z.object({
    first: messageIdSchema,
    last: messageIdSchema,
    count: z.int().positive(),
    tokenizer: textSchema.exactOptional(),
    runs: z
      .array(
        z.object({
          fromVersion: z.int().positive(),
          toVersion: z.int().positive(),
          fromOrdinal: z.int().nonnegative(),
          toOrdinal: z.int().nonnegative(),
          tokens: z.number().nonnegative().exactOptional(),
          unanswered: z.array(toolCallIdSchema).exactOptional(),
        }),
      )
      .min(1),
  }),
);
const writtenSpanSchema = z.lazy(() =>
  z.object({
    outline: outlineSchema,
    firstTurn: z.int().nonnegative(),
    lastTurn: z.int().nonnegative(),
  }),
);

type WrittenRecord = JsonObject & { readonly summary?: JsonObject };
type WrittenPlan = JsonObject;
const LISTS = Object.values(RECORD_KINDS).map(({ list }) => list);

function readAbridged(text: string): WrittenPlan {
  const parsed = isAbridgedPlan(text) ? parseObject(text) : null;
  if (parsed === null || typeof parsed.plan !== "object" || digestOf(parsed.plan) !== parsed.digest)
    throw notAsWritten();
  return parsed.plan as WrittenPlan;
}

function parseObject(text: string): JsonObject | null {
  try {
    return parseJson(text) as JsonObject;
  } catch {
    return null;
  }
}

type Turns = Pick<SpanReference, "firstTurn" | "lastTurn">;

/** Returns the plan with each outline replaced, also in the summaries of the same span. */
function mapSpans(plan: WrittenPlan, replace: (outline: SpanOutline, turns: Turns) => object): JsonObject {
  const lists = LISTS.map((list) => {
    const records = writtenRecords(plan, list).map((record) => {
      const written = writtenSpan(record);
      if (written === null) return record;
      const { outline, ...turns } = written;
      const span = replace(outline, turns);
      return isAboutRecord(record) ? { ...record, span, summary: { ...record.summary, span } } : { ...record, span };
    });
    return [list, records];
  });
  return { ...plan, ...Object.fromEntries(lists) };
}

function writtenRecords(plan: WrittenPlan, list: keyof PlanRecords): readonly WrittenRecord[] {
  const records = plan[list];
  if (!Array.isArray(records)) throw notAsWritten();
  return records as unknown as readonly WrittenRecord[];
}

/** Returns the outline that a record was written with; null when the record has its ids. */
function writtenSpan({ span }: WrittenRecord) {
  if (typeof span !== "object" || span === null || !("outline" in span)) return null;
  const written = writtenSpanSchema.safeParse(span);
  if (!written.success) throw notAsWritten();
  return written.data;
}

const isAboutRecord = (record: WrittenRecord | undefined): boolean => record?.summary?.span === "record";

/** Puts the written spans back into a record that was checked with stubs for them. The order of its keys stays. */
function readRecord(checked: PlanRecord, written: WrittenRecord | undefined): PlanRecord {
  const found = written === undefined ? null : writtenSpan(written);
  if (found === null) return freezeDeep(checked);
  const span = outlinedSpan(found, found.outline);
  const withSpan = (value: object, isOutlined: boolean): object =>
    Object.freeze(
      Object.fromEntries(
        Object.entries(value).map(([key, item]) => {
          if (key === "span" && isOutlined) return [key, span];
          return [key, key === "summary" ? withSpan(item, isAboutRecord(written)) : freezeDeep(item)];
        }),
      ),
    );
  return withSpan(checked, true) as PlanRecord;
}

function notAsWritten(): ThreadfoldError {
  return new ThreadfoldError("INVALID_PLAN", "The plan is not as it was written.", {
    hint: "Run a check of the store; the thread itself is not affected.",
  });
}
