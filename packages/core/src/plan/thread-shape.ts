import type { MessageHeader } from "../budget/message-header.ts";
import type { TokenLedger } from "../budget/token-ledger.ts";
import { historyNotLoaded } from "../errors/threadfold-error.ts";
import { continuedList } from "../json/sha256.ts";
import type { MessageId } from "../model/ids.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { knownRunsOf, type OrdinalRun, placeIds, runsOfSpan, type SpanReference } from "../thread/span-reference.ts";
import type { GroupedLedger, MessageGroup } from "./message-group.ts";

/** What planning knows about a thread: headers and groups but no bodies. Parts may be left out; see {@link Stretch}. */
export interface ThreadShape {
  /** The number of messages in the thread. */
  readonly length: number;
  /** @throws ThreadfoldError `HISTORY_NOT_LOADED` when the message is left out. */
  header(ordinal: number): MessageHeader;
  headerOf(id: MessageId): MessageHeader | undefined;
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
  /** True when some messages of a span are left out. */
  isAbridged(span: SpanReference): boolean;
  /**
   * The span of the given messages (in order, at least one), including any that are left out right after one of them.
   */
  spanOf(ordinals: readonly number[]): SpanReference;
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
 */
export function threadShape(
  thread: AgentThread,
  ledger: TokenLedger,
  grouped: GroupedLedger,
  leftOut: readonly Stretch[] = [],
): ThreadShape {
  return new CountedShape(thread, ledger, grouped, leftOut);
}

class CountedShape implements ThreadShape {
  readonly length: number;
  readonly #thread: AgentThread;
  readonly #ledger: TokenLedger;
  readonly #grouped: GroupedLedger;
  readonly #leftOut: readonly Stretch[];
  readonly #behind: ReadonlyMap<number, Stretch>;
  #groups: readonly MessageGroup[] | undefined;
  readonly #lists = new Map<string, readonly MessageId[]>();

  constructor(thread: AgentThread, ledger: TokenLedger, grouped: GroupedLedger, leftOut: readonly Stretch[]) {
    this.length = ledger.length;
    this.#thread = thread;
    this.#ledger = ledger;
    this.#grouped = grouped;
    this.#leftOut = leftOut;
    this.#behind = new Map(leftOut.map((stretch) => [stretch.from - 1, stretch]));
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
    const ordinal = this.#ordinalOf(id);
    return ordinal === undefined ? undefined : this.header(ordinal);
  }

  groupOf(ordinal: number): MessageGroup {
    return this.#grouped.groups.at(this.#grouped.groupOf.at(ordinal) as number) as MessageGroup;
  }

  after(ordinal: number): number {
    return (this.#behind.get(ordinal)?.to ?? ordinal) + 1;
  }

  before(ordinal: number): number {
    return (this.#around(ordinal - 1)?.from ?? ordinal) - 1;
  }

  ordinalsOf(span: SpanReference): readonly number[] | undefined {
    const runs = runsOfSpan(span, (id) => this.#ordinalOf(id));
    const ordinals: number[] = [];
    for (const { from, to } of runs ?? []) {
      for (let ordinal = from; ordinal <= to; ordinal = this.after(ordinal)) ordinals.push(ordinal);
    }
    return runs === undefined ? undefined : ordinals;
  }

  isAbridged(span: SpanReference): boolean {
    if (this.#leftOut.length === 0) return false;
    const runs = runsOfSpan(span, (id) => this.#ordinalOf(id)) ?? [];
    return runs.some(({ from, to }) => this.#leftOut.some((stretch) => from <= stretch.from && stretch.to <= to));
  }

  spanOf(ordinals: readonly number[]): SpanReference {
    const [first, last] = [ordinals[0], ordinals.at(-1)];
    if (first === undefined || last === undefined) throw new RangeError("A span holds at least one message.");
    const end = this.#behind.get(last)?.to ?? last;
    const lastTurn = (this.#ledger.header(end) as MessageHeader).turn;
    return { messageIds: this.#idsIn(this.#runsOf(ordinals)), firstTurn: this.header(first).turn, lastTurn };
  }

  countOf(ordinals: readonly number[]): number {
    return ordinals.reduce((sum, ordinal) => sum + this.after(ordinal) - ordinal, 0);
  }

  tokensOf(ordinals: readonly number[]): number {
    return ordinals.reduce((sum, ordinal) => sum + this.#ledger.tokensBetween(ordinal, this.after(ordinal)), 0);
  }

  #runsOf(ordinals: readonly number[]): readonly OrdinalRun[] {
    const runs: { from: number; to: number }[] = [];
    for (const ordinal of ordinals) {
      if (this.#around(ordinal) !== undefined) throw historyNotLoaded();
      const to = this.after(ordinal) - 1;
      const run = runs.at(-1);
      if (run !== undefined && run.to === ordinal - 1) run.to = to;
      else runs.push({ from: ordinal, to });
    }
    return runs;
  }

  /** Returns one list for the same messages. If they begin with those of an earlier plan, its list is continued. */
  #idsIn(runs: readonly OrdinalRun[]): readonly MessageId[] {
    const key = runs.map(({ from, to }) => `${from}-${to}`).join();
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const former = this.#leftOut.find(({ within }) => isBeginning(knownRunsOf(within) ?? [], runs))?.within;
    const taken = former === undefined ? -1 : (knownRunsOf(former)?.at(-1)?.to ?? -1);
    const more: MessageId[] = [];
    for (const { from, to } of runs)
      for (let ordinal = Math.max(from, taken + 1); ordinal <= to; ordinal++)
        more.push((this.#ledger.header(ordinal) as MessageHeader).id);
    const messageIds = continuedList(former?.messageIds ?? [], more);
    placeIds(messageIds, runs);
    this.#lists.set(key, messageIds);
    return messageIds;
  }

  #ordinalOf(id: MessageId): number | undefined {
    return this.#thread.message(id)?.ordinal;
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
  const kept: (readonly MessageGroup[])[] = [];
  let next = 0;
  for (const { from, to } of leftOut) {
    kept.push(groups.slice(next, groupOf.at(from)));
    next = groupOf.at(to + 1) as number;
  }
  return kept.flat().concat(groups.slice(next));
}
