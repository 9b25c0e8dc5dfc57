import { historyNotLoaded } from "../errors/threadfold-error.ts";
import type { PinId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { AppendOnlyList } from "../thread/append-only-list.ts";
import { type OrdinalRun, outlineOf, runsOfSpan, type SpanReference, spanLength } from "../thread/span-reference.ts";
import type { Pin, ThreadEntry } from "../thread/thread-entry.ts";
import { actionOf, type CompactionPlan, planRecords } from "./compaction-plan.ts";
import { kindOf, type PlanRecord, removesMessages, type ShownRecord } from "./plan-record.ts";

/** One thing that a prompt shows, in prompt order. Provider-neutral and without any text that rendering adds. */
export type ViewEntry =
  | { readonly type: "message"; readonly message: Message }
  | ShownRecord
  | { readonly type: "pins"; readonly pins: readonly Pin[] }
  | { readonly type: "pin-lifted"; readonly pin: Pin };

/** Returns what a plan shows of a thread; see {@link ThreadView}. */
export function viewThread(thread: AgentThread, plan: CompactionPlan): readonly ViewEntry[] {
  return ThreadView.of(thread, plan).entries.slice();
}

/** How much of a thread was viewed: the number of entries and messages, and all pins made so far, lifted or not. */
interface ViewPosition {
  readonly version: number;
  readonly length: number;
  readonly made: ReadonlyMap<PinId, Pin>;
}

/**
 * Tells whether a request does not show the text of a pin although the plan shows the message that it quotes: when the
 * provider's own item stands for that message.
 */
export type LacksPin = (pin: Pin, source: Message) => boolean;

const START: ViewPosition = Object.freeze({ version: 0, length: 0, made: new Map() });

/**
 * What a plan shows of a thread (V1–V15): each message unchanged, emptied, or replaced together with its span by one
 * entry at the span's first message. Messages of side branches are not shown. Live pins whose source is folded away are
 * gathered before the first fold; pins made after the plan appear where they were made, so that between plans the view
 * only grows at its end. Like the thread, a view is immutable; `extend` processes only what is new.
 */
export class ThreadView {
  readonly plan: CompactionPlan;
  readonly entries: AppendOnlyList<ViewEntry>;
  readonly #position: ViewPosition;
  readonly #lacks: LacksPin | undefined;

  private constructor(
    plan: CompactionPlan,
    entries: AppendOnlyList<ViewEntry>,
    position: ViewPosition,
    lacks: LacksPin | undefined,
  ) {
    this.plan = plan;
    this.entries = entries;
    this.#position = position;
    this.#lacks = lacks;
  }

  /**
   * Computes the view of a thread under a plan.
   *
   * @param lacks for a request that shows less than the plan does: which pins made after the plan it has to repeat.
   * @throws ThreadfoldError `HISTORY_NOT_LOADED` when the plan shows messages that are not in memory.
   */
  static of(thread: AgentThread, plan: CompactionPlan, lacks?: LacksPin): ThreadView {
    if (!thread.isWhole && !hidesWhatIsAbsent(thread, plan)) throw historyNotLoaded();
    const { entries, position, firstFold } = viewEntries(thread, plan, START, lacks, hiddenRuns(thread, plan));
    const pins = foldedPins(thread, plan);
    if (pins.length > 0) entries.splice(firstFold ?? 0, 0, { type: "pins", pins });
    return new ThreadView(plan, AppendOnlyList.of(entries), position, lacks);
  }

  /** Returns the view of a thread that begins with the one that was viewed. */
  extend(thread: AgentThread): ThreadView {
    if (thread.version === this.#position.version) return this;
    const { entries, position } = viewEntries(thread, this.plan, this.#position, this.#lacks);
    return new ThreadView(this.plan, this.entries.append(entries), position, this.#lacks);
  }
}

/**
 * True when a plan removes from the prompt every message that a resumed thread left in the store. A resumed thread has
 * in memory what one plan shows, and another plan may show more. Plans name only messages that the thread has, so it is
 * enough to compare the number of messages that are not in memory with the number of those that the plan removes.
 */
function hidesWhatIsAbsent(thread: AgentThread, plan: CompactionPlan): boolean {
  let present = 0;
  let shown = 0;
  for (const { id, ordinal } of thread.messagesInMemory()) {
    present++;
    const { record } = actionOf(plan, id, ordinal);
    if (record === null || !removesMessages(record)) shown++;
  }
  const removed = planRecords(plan).reduce(
    (sum, record) => sum + (removesMessages(record) ? spanLength(record.span) : 0),
    0,
  );
  return removed - (present - shown) === thread.length - present;
}

/** Computes what a plan shows of the entries after a position, and the index at which the first fold begins. */
function viewEntries(
  thread: AgentThread,
  plan: CompactionPlan,
  from: ViewPosition,
  lacks: LacksPin | undefined,
  hidden: readonly OrdinalRun[] = [],
) {
  const entries: ViewEntry[] = [];
  let { length } = from;
  let made: Map<PinId, Pin> | undefined;
  let firstFold: number | undefined;
  for (const { version, entry } of entriesAfter(thread, from, hidden)) {
    if (entry.type === "message") {
      length = entry.message.ordinal + 1;
      const { record } = actionOf(plan, entry.message.id, entry.message.ordinal);
      if (record !== null) firstFold ??= entries.length;
      const shown = viewMessage(entry.message, record);
      if (shown !== null) entries.push(shown);
    } else {
      // Copied, because views of other threads with the same beginning share the map.
      if (entry.type === "pin") (made ??= new Map(from.made)).set(entry.pin.id, entry.pin);
      // A candidate that a host rejected was never a rule: its pin and lifting come in one append; neither is shown.
      if (isDrop(entry) && showsOnly(entries.at(-1), entry.pinId)) entries.pop();
      const isLate = version > plan.threadVersion || plan.version === 0;
      const visible = (pin: Pin): boolean => isVisible(pin, thread, length, plan, lacks);
      const late = isLate ? viewLatePin(entry, made ?? from.made, visible) : null;
      if (late !== null) entries.push(late);
    }
  }
  const position = { version: thread.version, length: thread.length, made: made ?? from.made };
  return { entries, position, firstFold };
}

/** The shortest run of hidden messages that is skipped; a shorter one is processed like all other messages. */
const SHORTEST_HIDDEN = 16;

/**
 * Runs of messages that a plan removes from a whole thread; each without its first, where a record may show something.
 */
function hiddenRuns(thread: AgentThread, plan: CompactionPlan): readonly OrdinalRun[] {
  if (!thread.isWhole) return [];
  return planRecords(plan)
    .filter((record) => removesMessages(record) && spanLength(record.span) > SHORTEST_HIDDEN)
    .flatMap(({ span }) => outlinedRuns(span) ?? runsOfSpan(span, (id) => thread.message(id)?.ordinal) ?? [])
    .filter(({ from, to }) => to - from >= SHORTEST_HIDDEN)
    .map(({ from, to }) => ({ from: from + 1, to }))
    .sort((a, b) => a.from - b.from);
}

const outlinedRuns = (span: SpanReference): readonly OrdinalRun[] | undefined =>
  outlineOf(span)?.runs.map(({ fromOrdinal: from, toOrdinal: to }) => ({ from, to }));

/**
 * The entries after a position. Entries that the thread left in the store are folded away by its plan: no prompt shows
 * them, and none of them is a pin.
 */
function entriesAfter(thread: AgentThread, from: ViewPosition, hidden: readonly OrdinalRun[]) {
  if (from.version === 0) return thread.entriesBesides(hidden);
  return thread.entriesBetween(from.version).map((entry, index) => ({ version: from.version + 1 + index, entry }));
}

function viewMessage(message: Message, record: PlanRecord | null): ViewEntry | null {
  if (message.branch !== undefined) return null;
  return record === null ? { type: "message", message } : kindOf(record).show(record, message);
}

/** `made` holds the pins up to this entry: an id that is used again later must not change what is shown here (P7). */
function viewLatePin(
  entry: Exclude<ThreadEntry, { type: "message" }>,
  made: ReadonlyMap<PinId, Pin>,
  visible: (pin: Pin) => boolean,
): ViewEntry | null {
  if (entry.type === "pin") return visible(entry.pin) ? null : { type: "pins", pins: [entry.pin] };
  const pin = made.get(entry.pinId);
  if (pin === undefined || entry.why === "no-room" || entry.why === "not-a-rule") return null;
  // When no block asserts the rule, the words that took it back say enough.
  return entry.why === "taken-back" && visible(pin) ? null : { type: "pin-lifted", pin };
}

const isDrop = (entry: ThreadEntry): entry is Extract<ThreadEntry, { type: "pin-lifted" }> =>
  entry.type === "pin-lifted" && entry.why === "not-a-rule";

const showsOnly = (shown: ViewEntry | undefined, pinId: PinId): boolean =>
  shown?.type === "pins" && shown.pins.length === 1 && shown.pins[0]?.id === pinId;

/** Returns the pins that are in force at the plan's version and whose text no shown message contains. */
export function foldedPins(thread: AgentThread, plan: CompactionPlan): readonly Pin[] {
  if (plan.version === 0) return [];
  const then = thread.atVersion(plan.threadVersion);
  return then.livePins.filter((pin) => !isVisible(pin, then, then.length, plan));
}

/**
 * True when the message that a pin quotes is shown unchanged and contains the text of the pin. Only the thread's first
 * `length` messages count: a message after the pin must not remove what is already shown (P7).
 */
function isVisible(pin: Pin, thread: AgentThread, length: number, plan: CompactionPlan, lacks?: LacksPin): boolean {
  // A message that is not in memory is folded away, so it shows nothing.
  const source = pin.source === undefined ? undefined : thread.messageInMemory(pin.source.messageId);
  if (source === undefined || source.ordinal >= length || source.branch !== undefined) return false;
  if (lacks?.(pin, source) === true) return false;
  return (
    isShownVerbatim(source, plan) && source.parts.some((part) => part.type === "text" && part.text.includes(pin.text))
  );
}

function isShownVerbatim({ id, ordinal }: Message, plan: CompactionPlan): boolean {
  const { record } = actionOf(plan, id, ordinal);
  return record === null || kindOf(record).keepsText(record);
}
