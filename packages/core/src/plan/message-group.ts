import type { MessageHeader } from "../budget/message-header.ts";
import type { TokenLedger } from "../budget/token-ledger.ts";
import type { ToolCallId } from "../model/ids.ts";
import { finishSteps, type Steps } from "../time/steps.ts";

/**
 * The atom of folding: messages that are kept, summarized, externalized or dropped together. A group is one message, or
 * a tool exchange: the calls of one assistant message, all their results wherever they stand, and the reasoning that
 * belongs to them.
 */
export interface MessageGroup {
  /** Position among the thread's groups, by first message. */
  readonly index: number;
  readonly kind: "message" | "tool-exchange";
  /** Ordinals of the members, ascending. Not always adjacent. */
  readonly ordinals: readonly number[];
  /** Calls of this group that no result has answered yet. */
  readonly openCalls: readonly ToolCallId[];
  /** Ordinals of results that render nowhere: a second result for an answered call, or one that answers no call. */
  readonly strays: readonly number[];
  readonly tokens: number;
}

/** Ordinal of a group's first message. */
export const firstOrdinal = (group: MessageGroup): number => group.ordinals[0] as number;
/** Ordinal of a group's last message. */
export const lastOrdinal = (group: MessageGroup): number => group.ordinals[group.ordinals.length - 1] as number;

/** What is odd about how calls and results pair up. Reported as a warning, never repaired in the log. */
export interface PairingIssue {
  readonly kind: "orphan-result" | "duplicate-result" | "ambiguous-call";
  readonly ordinal: number;
  readonly callId: ToolCallId;
}

/** All groups of a thread, and which one each message is in. */
export interface GroupedThread {
  readonly groups: readonly MessageGroup[];
  /** Group index by message ordinal. */
  readonly groupOf: readonly number[];
  readonly issues: readonly PairingIssue[];
  /** Where a group leaves a gap: the ordinals of two members with other messages between them. */
  readonly gaps: readonly GroupGap[];
}

/** Two members of a group that follow each other in it and not in the thread. */
export interface GroupGap {
  readonly before: number;
  readonly after: number;
}

/** What an array reads by places from 0 on, whatever holds the items. */
export interface ReadableList<Item> extends Iterable<Item> {
  readonly length: number;
  at(index: number): Item | undefined;
  slice(from?: number, to?: number): readonly Item[];
}

/** A {@link GroupedThread} that shares what stayed with those of the thread when it was shorter, and so costs what is new (P9). */
export type GroupedLedger = {
  readonly [List in keyof GroupedThread]: GroupedThread[List] extends readonly (infer Item)[]
    ? ReadableList<Item>
    : never;
};

/**
 * Groups messages by the calls they make and answer, in one pass over their headers.
 *
 * A result joins the group of the newest unanswered call with its id, adjacent or not (G2, G3). Ids may be reused once
 * answered (G7). A result for an answered call is a stray of that call's group (A8); a result that precedes its call or
 * answers an unknown id is a group of its own and a stray (A10, G5). An id that two messages of one turn left open is
 * ambiguous, and its result is a stray too (G6); a later turn that makes the call again ends the waiting for the earlier
 * one, and calls of one message that share an id are answered in order. A message of reasoning alone belongs to the
 * assistant message that follows it (G1).
 */
export function groupMessages(headers: Iterable<MessageHeader>): GroupedThread {
  const grouping = new Grouping();
  for (const header of headers) grouping.add(header);
  const { groups, groupOf, issues, gaps } = finishSteps(grouping.groupsInSteps());
  return { groups: groups.slice(), groupOf: groupOf.slice(), issues: issues.slice(), gaps: gaps.slice() };
}

/** Grouping that goes on as a ledger grows, by the list that all ledgers of one growing thread share. */
const growing = new WeakMap<object, Grouping>();

/** What {@link groupMessages} makes of a ledger. What was grouped when the same ledger was shorter is not grouped again. */
export const groupLedger = (ledger: TokenLedger): GroupedLedger => finishSteps(groupLedgerInSteps(ledger));

/** Messages and groups that are gone through between two steps: a millisecond or less. */
const AT_A_TIME = 512;

/** What {@link groupLedger} returns, in steps. */
export function* groupLedgerInSteps(ledger: TokenLedger): Steps<GroupedLedger> {
  const grouping = growing.get(ledger.family) ?? new Grouping();
  growing.set(ledger.family, grouping);
  if (grouping.length > ledger.length) return groupMessages(ledger.headers);
  while (grouping.length < ledger.length) {
    grouping.add(ledger.header(grouping.length) as MessageHeader);
    if (grouping.length % AT_A_TIME === 0) yield;
  }
  const grouped = yield* grouping.groupsInSteps();
  // Somebody may have grouped a longer one between two steps.
  return grouped.groupOf.length === ledger.length ? grouped : groupMessages(ledger.headers);
}

interface GroupDraft {
  kind: MessageGroup["kind"];
  ordinals: number[];
  openCalls: ToolCallId[];
  strays: number[];
  tokens: number;
}

class Grouping {
  readonly #drafts: GroupDraft[] = [];
  readonly #groupOf: number[] = [];
  readonly #gaps: GroupGap[] = [];
  readonly #groups = new ChangingGroups();
  /** Groups that changed since they were last handed out. */
  readonly #changed = new Set<number>();
  readonly #issues: PairingIssue[] = [];
  /** Unanswered calls of an id, oldest first, by branch and id: their group, and the turn that made them. */
  readonly #open = new Map<string, readonly { readonly index: number; readonly turn: number }[]>();
  readonly #answered = new Map<string, number>();
  /** Groups of reasoning that waits for its assistant message, by branch. */
  readonly #pendingReasoning = new Map<string | undefined, number>();

  /** How many messages are grouped. */
  get length(): number {
    return this.#groupOf.length;
  }

  add(header: MessageHeader): void {
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
    this.#drafts.push({ kind: "message", ordinals: [], openCalls: [], strays: [], tokens: 0 });
    return this.#drafts.length - 1;
  }

  #join(index: number, header: MessageHeader): GroupDraft {
    const draft = this.#drafts[index] as GroupDraft;
    const before = draft.ordinals.at(-1);
    if (before !== undefined && before !== header.ordinal - 1) this.#gaps.push({ before, after: header.ordinal });
    this.#changed.add(index);
    draft.ordinals.push(header.ordinal);
    draft.tokens += header.tokens;
    this.#groupOf[header.ordinal] = index;
    return draft;
  }

  #openCall(index: number, header: MessageHeader, callId: ToolCallId): void {
    const draft = this.#drafts[index] as GroupDraft;
    draft.kind = "tool-exchange";
    draft.openCalls.push(callId);
    const key = callKey(header, callId);
    this.#answered.delete(key);
    const open = (this.#open.get(key) ?? []).filter((call) => call.turn === header.turn);
    if (open.some((call) => call.index !== index))
      this.#issues.push({ kind: "ambiguous-call", ordinal: header.ordinal, callId });
    this.#open.set(key, [...open, { index, turn: header.turn }]);
  }

  #addResult(header: MessageHeader, callId: ToolCallId): void {
    const key = callKey(header, callId);
    const open = this.#open.get(key);
    const [call, ...others] = open ?? [];
    if (call !== undefined && others.every(({ index }) => index === call.index)) {
      const draft = this.#join(call.index, header);
      draft.openCalls.splice(draft.openCalls.indexOf(callId), 1);
      if (others.length > 0) this.#open.set(key, others);
      else {
        this.#open.delete(key);
        this.#answered.set(key, call.index);
      }
      return;
    }
    const duplicateOf = this.#answered.get(key);
    const index = duplicateOf ?? this.#startGroup();
    this.#join(index, header).strays.push(header.ordinal);
    const kind = duplicateOf === undefined ? "orphan-result" : "duplicate-result";
    this.#issues.push({ kind, ordinal: header.ordinal, callId });
  }

  /** The groups so far; later messages do not change what was handed out. */
  *groupsInSteps(): Steps<GroupedLedger> {
    for (const index of this.#changed) {
      const { ordinals, openCalls, strays, ...draft } = this.#drafts[index] as GroupDraft;
      const lists = { ordinals: ordinals.slice(), openCalls: openCalls.slice(), strays: strays.slice() };
      this.#groups.put(Object.freeze({ index, ...draft, ...lists }));
      this.#changed.delete(index);
      if (this.#changed.size % AT_A_TIME === 0) yield;
    }
    return {
      groups: this.#groups.asTheyAre(),
      groupOf: new Beginning(this.#groupOf),
      issues: new Beginning(this.#issues),
      gaps: new Beginning(this.#gaps),
    };
  }
}

const callKey = (header: MessageHeader, callId: ToolCallId): string => JSON.stringify([header.branch ?? "", callId]);

/** What a list that only grows held at some time. */
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

/** Groups that stand together: a later result changes one of them and leaves the others as they were. */
const CHUNK = 512;
type GroupChunks = readonly (readonly MessageGroup[])[];

/** Groups that are replaced while nobody who was handed some sees it: a chunk is copied before it changes. */
class ChangingGroups {
  readonly #chunks: MessageGroup[][] = [];
  /** Chunks that nobody was handed. */
  readonly #own = new Set<number>();

  /** Puts a group in its place, which is behind the last one or an earlier one's. */
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
    return around.flat().slice(from - first * CHUNK, to - first * CHUNK);
  }

  *[Symbol.iterator](): Iterator<MessageGroup> {
    for (const chunk of this.#chunks) yield* chunk;
  }
}
