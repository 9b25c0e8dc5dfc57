import type { MessageHeader } from "../budget/message-header.ts";
import type { TokenLedger } from "../budget/token-ledger.ts";
import { historyNotLoaded } from "../errors/threadfold-error.ts";
import { continuedList, listDigest } from "../json/sha256.ts";
import type { MessageId } from "../model/ids.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { knownRunsOf, type OrdinalRun, placeIds, runsOfSpan, type SpanReference } from "../thread/span-reference.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import type { GroupedLedger, MessageGroup } from "./message-group.ts";

/** What planning knows about a thread: headers and groups but no bodies. Parts may be left out; see {@link Stretch}. */
export interface ThreadShape {
  /** The number of messages in the thread. */
  readonly length: number;
  /** @throws ThreadfoldError `HISTORY_NOT_LOADED` when the message is left out. */
  header(ordinal: number): MessageHeader;
  headerOf(id: MessageId): MessageHeader | undefined;
  /** The ordinal of a message, even of one that is left out; undefined when the thread has none with this id. */
  ordinalOf(id: MessageId): number | undefined;
  groupOf(ordinal: number): MessageGroup;
  /** The groups that are not left out, oldest first. */
  readonly groups: readonly MessageGroup[];
  /** The nearest ordinal after another (or, for `before`, before it) that is not left out. */
  after(ordinal: number): number;
  before(ordinal: number): number;
  /**
   * The ordinals of a span that are not left out, ascending; undefined unless the thread has all its messages in order.
   */
  ordinalsOf(span: SpanReference): readonly number[] | undefined;
  /**
   * The span of the given messages (in order, at least one), including any that are left out right after one of them.
   */
  spanOf(ordinals: readonly number[]): SpanReference;
  /** Does the same in steps, and hashes the ids of a very long span on the way, so that a plan with it has little left. */
  spanInSteps(ordinals: readonly number[]): Steps<SpanReference>;
  /** The number of messages in such a span; `tokensOf` returns their tokens before any folding. */
  countOf(ordinals: readonly number[]): number;
  tokensOf(ordinals: readonly number[]): number;
}

/**
 * Messages that one record of an earlier plan removed from the prompt, and that share the fate of the message right
 * before them. Because a shape leaves them out, they cost a fold nothing, however many there are (P9).
 */
export interface Stretch extends OrdinalRun {
  /** The span of the record that removed them. */
  readonly within: SpanReference;
}

/**
 * Returns the shape of a thread whose messages are all counted and grouped.
 *
 * @param leftOut in ascending order, none of them at the beginning or end of the thread.
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` unless everything that is not in memory is left out.
 */
export function threadShape(
  thread: AgentThread,
  ledger: TokenLedger,
  grouped: GroupedLedger,
  leftOut: readonly Stretch[] = [],
): ThreadShape {
  const isCovered = ledger.absent.every((gap) => leftOut.some(({ from, to }) => from <= gap.from && gap.to <= to));
  if (!isCovered) throw historyNotLoaded();
  return new CountedShape(thread, ledger, grouped, leftOut);
}

/** Messages that are processed in one step, in less than a millisecond. */
const AT_A_TIME = 4_096;

/** Ids that are hashed in one step, in a few milliseconds. A part costs a copy of the list so far, so it is not smaller. */
const HASHED_AT_A_TIME = 32_768;

class CountedShape implements ThreadShape {
  readonly length: number;
  readonly #thread: AgentThread;
  readonly #ledger: TokenLedger;
  readonly #grouped: GroupedLedger;
  readonly #leftOut: readonly Stretch[];
  readonly #behind: ReadonlyMap<number, Stretch>;
  #groups: readonly MessageGroup[] | undefined;
  readonly #lists = new Map<string, readonly MessageId[]>();
  /** The runs of lists of ordinals, which are asked for their span and for their tokens. */
  readonly #runs = new WeakMap<readonly number[], readonly OrdinalRun[]>();
  /** What is not in memory, by its first ordinal. */
  readonly #absent: ReadonlyMap<number, OrdinalRun>;

  constructor(thread: AgentThread, ledger: TokenLedger, grouped: GroupedLedger, leftOut: readonly Stretch[]) {
    this.length = ledger.length;
    this.#thread = thread;
    this.#ledger = ledger;
    this.#grouped = grouped;
    this.#leftOut = leftOut;
    this.#behind = new Map(leftOut.map((stretch) => [stretch.from - 1, stretch]));
    this.#absent = new Map(ledger.absent.map((run) => [run.from, run]));
  }

  get groups(): readonly MessageGroup[] {
    this.#groups ??= groupsBeside(this.#grouped, this.#leftOut);
    return this.#groups;
  }

  header(ordinal: number): MessageHeader {
    if (this.#around(ordinal) !== undefined) throw historyNotLoaded();
    return this.#ledger.header(ordinal) as MessageHeader;
  }

  headerOf(id: MessageId): MessageHeader | undefined {
    const ordinal = this.ordinalOf(id);
    return ordinal === undefined ? undefined : this.header(ordinal);
  }

  ordinalOf(id: MessageId): number | undefined {
    return this.#thread.message(id)?.ordinal;
  }

  groupOf(ordinal: number): MessageGroup {
    return this.#grouped.groups.at(this.#grouped.groupOf.at(ordinal) as number) as MessageGroup;
  }

  after(ordinal: number): number {
    if (this.#leftOut.length === 0) return ordinal + 1;
    return (this.#behind.get(ordinal)?.to ?? ordinal) + 1;
  }

  before(ordinal: number): number {
    return (this.#around(ordinal - 1)?.from ?? ordinal) - 1;
  }

  ordinalsOf(span: SpanReference): readonly number[] | undefined {
    const runs = runsOfSpan(span, (id) => this.ordinalOf(id));
    if (runs === undefined) return undefined;
    const each = (take: (ordinal: number) => void): void => {
      for (const { from, to } of runs)
        for (let ordinal = from; ordinal <= to; ordinal = this.after(ordinal)) take(ordinal);
    };
    // Made at its length, because a list that grows is copied again and again, which takes long for a long span.
    let [length, next] = [0, 0];
    each(() => length++);
    const ordinals = new Array<number>(length);
    each((ordinal) => (ordinals[next++] = ordinal));
    return ordinals;
  }

  spanOf(ordinals: readonly number[]): SpanReference {
    return finishSteps(this.spanInSteps(ordinals));
  }

  *spanInSteps(ordinals: readonly number[]): Steps<SpanReference> {
    const [first, last] = [ordinals[0], ordinals.at(-1)];
    if (first === undefined || last === undefined) throw new RangeError("A span holds at least one message.");
    const end = this.#behind.get(last)?.to ?? last;
    const lastTurn = (this.#ledger.header(end) as MessageHeader).turn;
    const messageIds = yield* this.#idsIn(yield* this.#runsOf(ordinals));
    return { messageIds, firstTurn: this.header(first).turn, lastTurn };
  }

  countOf(ordinals: readonly number[]): number {
    return ordinals.reduce((sum, ordinal) => sum + this.after(ordinal) - ordinal, 0);
  }

  tokensOf(ordinals: readonly number[]): number {
    const runs = finishSteps(this.#runsOf(ordinals));
    return runs.reduce((sum, { from, to }) => sum + this.#ledger.tokensBetween(from, to + 1), 0);
  }

  *#runsOf(ordinals: readonly number[]): Steps<readonly OrdinalRun[]> {
    const known = this.#runs.get(ordinals);
    if (known !== undefined) return known;
    const runs: { from: number; to: number }[] = [];
    let [run, seen] = [{ from: -1, to: -2 }, 0];
    for (const ordinal of ordinals) {
      if (this.#around(ordinal) !== undefined) throw historyNotLoaded();
      if (run.to === ordinal - 1) run.to = this.after(ordinal) - 1;
      else runs.push((run = { from: ordinal, to: this.after(ordinal) - 1 }));
      if (++seen % AT_A_TIME === 0) yield;
    }
    this.#runs.set(ordinals, runs);
    return runs;
  }

  /** Returns one list for the same messages. If they begin with those of an earlier plan, its list is continued. */
  *#idsIn(runs: readonly OrdinalRun[]): Steps<readonly MessageId[]> {
    const key = runs.map(({ from, to }) => `${from}-${to}`).join();
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const former = this.#leftOut.find(({ within }) => isBeginning(knownRunsOf(within) ?? [], runs))?.within;
    const taken = former === undefined ? -1 : (knownRunsOf(former)?.at(-1)?.to ?? -1);
    const messageIds = yield* this.#continued(former?.messageIds ?? [], runs, taken + 1);
    placeIds(messageIds, runs);
    this.#lists.set(key, messageIds);
    return messageIds;
  }

  /** Returns a list of ids that goes on with those of the messages in the runs from one ordinal on. */
  *#continued(former: readonly MessageId[], runs: readonly OrdinalRun[], start: number): Steps<readonly MessageId[]> {
    let messageIds = former;
    let more: MessageId[] = [];
    for (const { from, to } of runs)
      for (const id of this.#idsBetween(Math.max(from, start), to)) {
        more.push(id);
        if (more.length % AT_A_TIME === 0) yield;
        if (more.length < HASHED_AT_A_TIME) continue;
        messageIds = continuedList(messageIds, more);
        more = [];
        listDigest(messageIds);
        yield;
      }
    return continuedList(messageIds, more);
  }

  /** The ids of messages, both ends included. Those that are not in memory are taken from the span that hides them. */
  *#idsBetween(from: number, to: number): Iterable<MessageId> {
    for (let ordinal = from; ordinal <= to; ordinal++) {
      const absent = this.#absent.get(ordinal);
      if (absent === undefined) yield (this.#ledger.header(ordinal) as MessageHeader).id;
      else {
        const { within } = this.#around(ordinal) as Stretch;
        const place = placeIn(within, ordinal);
        yield* within.messageIds.slice(place, place + absent.to + 1 - ordinal);
        ordinal = absent.to;
      }
    }
  }

  /** Returns the stretch that a message is in; undefined when the message is not left out. */
  #around(ordinal: number): Stretch | undefined {
    // There are few stretches, and a fold mostly looks at the end of the thread.
    for (let index = this.#leftOut.length - 1; index >= 0; index--) {
      const stretch = this.#leftOut[index] as Stretch;
      if (ordinal > stretch.to) return undefined;
      if (ordinal >= stretch.from) return stretch;
    }
    return undefined;
  }
}

/** Returns how many of a span's messages come before the one at an ordinal. */
function placeIn(span: SpanReference, ordinal: number): number {
  const before = (knownRunsOf(span) ?? []).filter(({ from }) => from <= ordinal);
  return before.reduce((sum, { from, to }) => sum + Math.min(ordinal, to + 1) - from, 0);
}

/** True when `runs` begin with all messages of the `former` runs. */
function isBeginning(former: readonly OrdinalRun[], runs: readonly OrdinalRun[]): boolean {
  const last = former.length - 1;
  return (
    last >= 0 &&
    former.every(({ from, to }, index) => {
      const run = runs[index];
      return run !== undefined && run.from === from && (index === last ? run.to >= to : run.to === to);
    })
  );
}

/** Groups are in the order of their first messages, and a stretch begins and ends between groups. */
function groupsBeside({ groups, groupOf }: GroupedLedger, leftOut: readonly Stretch[]): readonly MessageGroup[] {
  if (leftOut.length === 0) return groups.slice();
  const kept: (readonly MessageGroup[])[] = [];
  let next = 0;
  for (const { from, to } of leftOut) {
    kept.push(groups.slice(next, groupOf.at(from)));
    next = groupOf.at(to + 1) as number;
  }
  return kept.flat().concat(groups.slice(next));
}

/** Ordinals in a part of an {@link OrdinalMap}. */
const PART = 1_024;

/**
 * Values by message ordinal, in the order of the ordinals. A `Map` stops at each doubling to copy everything that it
 * holds, which takes long when it holds every message of a long thread; this one only ever adds a part.
 */
export class OrdinalMap<Value> {
  readonly #parts: (Value | undefined)[][] = [];

  get(ordinal: number): Value | undefined {
    return this.#parts[Math.floor(ordinal / PART)]?.[ordinal % PART];
  }

  set(ordinal: number, value: Value): this {
    const at = Math.floor(ordinal / PART);
    const part = (this.#parts[at] ??= []);
    const place = ordinal % PART;
    // Only as long as it must be: most threads are short, and each rule of a plan walks through all of it.
    while (part.length < place) part.push(undefined);
    part[place] = value;
    return this;
  }

  /** Returns true if there was a value. */
  delete(ordinal: number): boolean {
    const had = this.get(ordinal) !== undefined;
    if (had) (this.#parts[Math.floor(ordinal / PART)] as (Value | undefined)[])[ordinal % PART] = undefined;
    return had;
  }

  /** May change while it is walked through. */
  *[Symbol.iterator](): Iterator<readonly [ordinal: number, value: Value]> {
    for (let at = 0; at < this.#parts.length; at++) {
      const part = this.#parts[at] ?? [];
      for (let place = 0; place < part.length; place++) {
        const value = part[place];
        if (value !== undefined) yield [at * PART + place, value];
      }
    }
  }
}
