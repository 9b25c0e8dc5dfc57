import type { MessageHeader } from "../budget/message-header.ts";
import type { AbsentMessages, TokenLedger } from "../budget/token-ledger.ts";
import { historyNotLoaded } from "../errors/threadfold-error.ts";
import type { ToolCallId } from "../model/ids.ts";
import { finishSteps, type Steps } from "../time/steps.ts";

/**
 * The smallest unit of folding: messages that are kept, summarized, externalized or dropped together. A group is one
 * message, or a tool exchange: the calls of one assistant message, all their results wherever they are in the thread,
 * and the reasoning that belongs to them.
 */
export interface MessageGroup {
  /** Position among the thread's groups, by first message. */
  readonly index: number;
  readonly kind: "message" | "tool-exchange";
  /** Ordinals of the members, ascending. Not always adjacent. */
  readonly ordinals: readonly number[];
  /** Calls of this group that no result has answered yet. */
  readonly openCalls: readonly ToolCallId[];
  /** Ordinals of results that are never rendered: a second result for an answered call, or one that answers no call. */
  readonly strays: readonly number[];
  readonly tokens: number;
}

/** Returns the ordinal of a group's first message. */
export const firstOrdinal = (group: MessageGroup): number => group.ordinals[0] as number;
/** Returns the ordinal of a group's last message. */
export const lastOrdinal = (group: MessageGroup): number => group.ordinals[group.ordinals.length - 1] as number;

/** An irregularity in how calls and results are paired. Reported as a warning, never repaired in the log. */
export interface PairingIssue {
  readonly kind: "orphan-result" | "duplicate-result" | "ambiguous-call";
  readonly ordinal: number;
  readonly callId: ToolCallId;
}

/** All groups of a thread, and which group each message is in. */
export interface GroupedThread {
  readonly groups: readonly MessageGroup[];
  /** Group index by message ordinal. */
  readonly groupOf: readonly number[];
  readonly issues: readonly PairingIssue[];
  /** The gaps within groups: pairs of members with other messages between them. */
  readonly gaps: readonly GroupGap[];
}

/** The ordinals of two members that are adjacent in their group but not in the thread. */
export interface GroupGap {
  readonly before: number;
  readonly after: number;
}

/** A read-only list with the index access of an array, however the items are stored. */
export interface ReadableList<Item> extends Iterable<Item> {
  readonly length: number;
  at(index: number): Item | undefined;
  slice(from?: number, to?: number): readonly Item[];
}

/**
 * A {@link GroupedThread} that shares its unchanged parts with earlier ones of the same thread, so that making one
 * costs only as much as the new messages (P9).
 */
export type GroupedLedger = {
  readonly [List in keyof GroupedThread]: GroupedThread[List] extends readonly (infer Item)[]
    ? ReadableList<Item>
    : never;
};

/**
 * Groups messages by the calls they make and answer, in one pass over their headers.
 *
 * A result joins the group of the newest unanswered call with its id, adjacent or not (G2, G3). Ids may be reused once
 * answered (G7). A result for an answered call is a stray in that call's group (A8); a result that precedes its call or
 * answers an unknown id is a stray in a group of its own (A10, G5). An id that two messages of one turn left open is
 * ambiguous, and its result is also a stray (G6). If a later turn makes the call again, the earlier one no longer
 * awaits a result. Calls of one message that share an id are answered in order. A message with nothing but reasoning
 * belongs to the assistant message that follows it (G1).
 */
export function groupMessages(headers: Iterable<MessageHeader>): GroupedThread {
  const grouping = new Grouping();
  for (const header of headers) grouping.add(header);
  const { groups, issues, gaps } = finishSteps(grouping.groupsInSteps());
  // Not copied: it is as long as the thread, of which these may be a few messages at the end.
  return { groups: groups.slice(), groupOf: grouping.groupOf, issues: issues.slice(), gaps: gaps.slice() };
}

/** Groupings to continue as ledgers grow, keyed by the list that all ledgers of one growing thread share. */
const growing = new WeakMap<object, Grouping>();

/** Groups the messages of a ledger as {@link groupMessages} does, continuing from where the same ledger was shorter. */
export const groupLedger = (ledger: TokenLedger): GroupedLedger => finishSteps(groupLedgerInSteps(ledger));

/** The number of messages or groups that are processed in one step: a millisecond or less. */
const AT_A_TIME = 512;

/** Does the same as {@link groupLedger}, in steps. */
export function* groupLedgerInSteps(ledger: TokenLedger): Steps<GroupedLedger> {
  const grouping = growing.get(ledger.family) ?? new Grouping();
  growing.set(ledger.family, grouping);
  if (grouping.length > ledger.length) return groupMessages(ledger.headers);
  const absent = new Map(ledger.absent.map((part) => [part.from, part]));
  while (grouping.length < ledger.length) {
    const part = absent.get(grouping.length);
    if (part === undefined) grouping.add(ledger.header(grouping.length) as MessageHeader);
    else grouping.pass(part);
    if (grouping.length % AT_A_TIME === 0) yield;
  }
  const grouped = yield* grouping.groupsInSteps();
  // Somebody may have grouped a longer ledger between two steps.
  return grouped.groupOf.length === ledger.length ? grouped : groupMessages(ledger.headers);
}

/** A call that no result has answered yet, and the ordinal at which its group begins. */
export interface UnansweredCall {
  readonly callId: ToolCallId;
  readonly ordinal: number;
}

/** Returns the unanswered calls of a ledger that was grouped before; undefined for one that was not. */
export const unansweredIn = (ledger: TokenLedger): readonly UnansweredCall[] | undefined =>
  growing.get(ledger.family)?.unanswered;

interface GroupDraft {
  kind: MessageGroup["kind"];
  ordinals: number[];
  /** Its calls in order; undefined where one is answered, so that the others keep their places. */
  openCalls: (ToolCallId | undefined)[];
  strays: number[];
  tokens: number;
}

/** Calls of one turn that share an id, oldest first, of which the first ones are answered. */
interface OpenCalls {
  readonly turn: number;
  /** The group of each call and its place in it. */
  readonly places: { readonly index: number; readonly place: number }[];
  answered: number;
  isAmbiguous: boolean;
}

class Grouping {
  readonly #drafts: GroupDraft[] = [];
  /** Group index by message ordinal. */
  readonly groupOf: number[] = [];
  readonly #gaps: GroupGap[] = [];
  readonly #groups = new ChangingGroups();
  /** Groups that changed since they were last returned. */
  readonly #changed = new Set<number>();
  readonly #issues: PairingIssue[] = [];
  /** Unanswered calls by branch and call id. */
  readonly #open = new Map<string, OpenCalls>();
  readonly #answered = new Map<string, number>();
  /** Groups of reasoning that await their assistant message, by branch. */
  readonly #pendingReasoning = new Map<string | undefined, number>();
  /** True when some messages were left in the store: a result may answer a call among them. */
  #hasPassed = false;
  /** Calls among them that no result has answered. */
  readonly #passedCalls: UnansweredCall[] = [];
  /** The turn of the first message behind them, which is the last turn that they may be in. */
  #passedTurn: number | undefined;

  /** The number of messages that are grouped. */
  get length(): number {
    return this.groupOf.length;
  }

  /**
   * Passes over messages up to an ordinal that a resumed thread left in the store: they are in no group. What comes
   * after them is grouped as if they were there, except that reasoning among them awaits no message behind them.
   *
   * @throws ThreadfoldError `HISTORY_NOT_LOADED` when they may answer calls or reasoning before them.
   */
  pass({ from, to, unanswered = [] }: AbsentMessages): void {
    // A plan hides no side branches, so reasoning that awaits an answer there still does.
    if (this.#open.size > 0 || this.#pendingReasoning.has(undefined)) throw historyNotLoaded();
    this.#hasPassed = true;
    this.#passedTurn = undefined;
    for (const callId of unanswered) this.#passedCalls.push({ callId, ordinal: from });
    this.groupOf.length = to + 1;
  }

  /** The calls that no result has answered yet; those that were left in the store where these begin. */
  get unanswered(): readonly UnansweredCall[] {
    const open = [...this.#open].flatMap(([key, { places, answered }]) => {
      const [callId, waiting] = [calledIn(key), places.slice(answered)];
      return waiting.map(({ index }) => ({ callId, ordinal: this.#drafts[index]?.ordinals[0] as number }));
    });
    return [...this.#passedCalls, ...open];
  }

  add(header: MessageHeader): void {
    this.#passedTurn ??= header.turn;
    if (header.answers !== undefined) return this.#addResult(header, header.answers);
    const index = this.#reasoningBefore(header) ?? this.#startGroup();
    if (header.role === "assistant" && header.reasoningOnly) this.#pendingReasoning.set(header.branch, index);
    else this.#pendingReasoning.delete(header.branch);
    this.#join(index, header);
    for (const callId of header.calls) this.#openCall(index, header, callId);
  }

  #reasoningBefore(header: MessageHeader): number | undefined {
    return header.role === "assistant" ? this.#pendingReasoning.get(header.branch) : undefined;
  }

  #startGroup(): number {
    return this.#drafts.push({ kind: "message", ordinals: [], openCalls: [], strays: [], tokens: 0 }) - 1;
  }

  #join(index: number, header: MessageHeader): GroupDraft {
    const draft = this.#drafts[index] as GroupDraft;
    const before = draft.ordinals.at(-1);
    if (before !== undefined && before !== header.ordinal - 1) this.#gaps.push({ before, after: header.ordinal });
    this.#changed.add(index);
    draft.ordinals.push(header.ordinal);
    draft.tokens += header.tokens;
    this.groupOf[header.ordinal] = index;
    return draft;
  }

  #openCall(index: number, header: MessageHeader, callId: ToolCallId): void {
    const mayBeOpen = header.turn === this.#passedTurn;
    if (mayBeOpen && this.#passedCalls.some((passed) => passed.callId === callId)) throw historyNotLoaded();
    const draft = this.#drafts[index] as GroupDraft;
    draft.kind = "tool-exchange";
    const place = draft.openCalls.push(callId) - 1;
    const key = callKey(header, callId);
    this.#answered.delete(key);
    const known = this.#open.get(key);
    const { turn } = header;
    const open: OpenCalls = known?.turn === turn ? known : { turn, places: [], answered: 0, isAmbiguous: false };
    this.#open.set(key, open);
    open.isAmbiguous ||= open.places.length > 0 && open.places[0]?.index !== index;
    if (open.isAmbiguous) this.#issues.push({ kind: "ambiguous-call", ordinal: header.ordinal, callId });
    open.places.push({ index, place });
  }

  #addResult(header: MessageHeader, callId: ToolCallId): void {
    const key = callKey(header, callId);
    const open = this.#open.get(key);
    if (open !== undefined && !open.isAmbiguous) {
      const { index, place } = open.places[open.answered++] as OpenCalls["places"][number];
      this.#join(index, header).openCalls[place] = undefined;
      if (open.answered < open.places.length) return;
      this.#open.delete(key);
      this.#answered.set(key, index);
      return;
    }
    if (this.#hasPassed) throw historyNotLoaded();
    const duplicateOf = this.#answered.get(key);
    const index = duplicateOf ?? this.#startGroup();
    this.#join(index, header).strays.push(header.ordinal);
    const kind = duplicateOf === undefined ? "orphan-result" : "duplicate-result";
    this.#issues.push({ kind, ordinal: header.ordinal, callId });
  }

  /** Returns the groups so far; later messages do not change what was returned. */
  *groupsInSteps(): Steps<GroupedLedger> {
    for (const index of this.#changed) {
      const { ordinals, openCalls, strays, ...draft } = this.#drafts[index] as GroupDraft;
      const open = openCalls.filter((callId) => callId !== undefined);
      const lists = { ordinals: ordinals.slice(), openCalls: open, strays: strays.slice() };
      this.#groups.put(Object.freeze({ index, ...draft, ...lists }));
      this.#changed.delete(index);
      if (this.#changed.size % AT_A_TIME === 0) yield;
    }
    return {
      groups: this.#groups.asTheyAre(),
      groupOf: new Beginning(this.groupOf),
      issues: new Beginning(this.#issues),
      gaps: new Beginning(this.#gaps),
    };
  }
}

const callKey = (header: MessageHeader, callId: ToolCallId): string => JSON.stringify([header.branch ?? "", callId]);

const calledIn = (key: string): ToolCallId => (JSON.parse(key) as readonly [string, ToolCallId])[1];

/** A snapshot of a list that only grows. */
class Beginning<Item> implements ReadableList<Item> {
  readonly length: number;
  readonly #items: readonly Item[];

  constructor(items: readonly Item[]) {
    this.length = items.length;
    this.#items = items;
  }

  at(index: number): Item | undefined {
    return index < this.length ? this.#items[index] : undefined;
  }

  slice(from = 0, to = this.length): readonly Item[] {
    return this.#items.slice(from, Math.min(to, this.length));
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.#items[index] as Item;
  }
}

/** The number of groups in a chunk: a later result changes only one chunk and leaves the others unchanged. */
const CHUNK = 512;
type GroupChunks = readonly (readonly MessageGroup[])[];

/** Groups that can change without affecting earlier snapshots: a chunk is copied before it changes. */
class ChangingGroups {
  readonly #chunks: MessageGroup[][] = [];
  /** Chunks that no snapshot shares. */
  readonly #own = new Set<number>();

  /** Appends a group, or replaces an earlier one. */
  put(group: MessageGroup): void {
    const at = Math.floor(group.index / CHUNK);
    if (!this.#own.has(at)) this.#chunks[at] = this.#chunks[at]?.slice() ?? [];
    this.#own.add(at);
    (this.#chunks[at] as MessageGroup[])[group.index % CHUNK] = group;
  }

  asTheyAre(): ReadableList<MessageGroup> {
    this.#own.clear();
    return new ChunkedGroups(this.#chunks.slice());
  }
}

class ChunkedGroups implements ReadableList<MessageGroup> {
  readonly length: number;
  readonly #chunks: GroupChunks;

  constructor(chunks: GroupChunks) {
    this.length = Math.max(0, chunks.length - 1) * CHUNK + (chunks.at(-1)?.length ?? 0);
    this.#chunks = chunks;
  }

  at(index: number): MessageGroup | undefined {
    return this.#chunks[Math.floor(index / CHUNK)]?.[index % CHUNK];
  }

  slice(from = 0, to = this.length): readonly MessageGroup[] {
    const first = Math.floor(from / CHUNK);
    const around = this.#chunks.slice(first, Math.ceil(to / CHUNK));
    // Copies blocks; `flat` would take the groups of a long thread one by one.
    return ([] as MessageGroup[]).concat(...around).slice(from - first * CHUNK, to - first * CHUNK);
  }

  *[Symbol.iterator](): Iterator<MessageGroup> {
    for (const chunk of this.#chunks) yield* chunk;
  }
}
