import { canonicalJson, type JsonObject, type MessageId, toWellFormedJson } from "@threadfold/core";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  objectsOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { SourceRecord } from "../reading/source-records.ts";
import type { ImportedCompaction } from "../session/imported-session.ts";
import { shortId } from "../session/session-ids.ts";

/** A line of a pi session. */
export interface PiEntry {
  readonly line: number;
  readonly type: string;
  readonly fields: ForeignObject;
  /** Set from version 2 on, where entries form a tree. */
  readonly id?: string;
  /** Null on the first entry; undefined before version 2. */
  readonly parentId?: string | null;
}

/** Converts a record to an entry; undefined when it has no type. */
export function piEntry({ line, value }: SourceRecord): PiEntry | undefined {
  const own = objectOf(value);
  const fields = own && (VERSION_4.get(own.kind)?.(own) ?? own);
  const type = textOf(fields?.type);
  if (fields === undefined || type === undefined) return undefined;
  const id = nonEmptyText(fields.id);
  const parent = type === "leaf" ? fields.targetId : fields.parentId;
  const parentId = parent === null ? null : nonEmptyText(parent);
  return { line, type, fields, ...(id !== undefined && { id }), ...(parentId !== undefined && { parentId }) };
}

/**
 * The lines of version 4 that are not entries, in the form of earlier versions. What the harness notes about its own
 * operations is kept out of the tree.
 */
const VERSION_4: ReadonlyMap<unknown, (line: ForeignObject) => ForeignObject> = new Map<
  string,
  (line: ForeignObject) => ForeignObject
>([
  ["header", ({ id, createdAt }) => ({ type: "session", id, timestamp: createdAt })],
  ["lane", ({ lane, leafId }) => ({ type: "leaf", lane, targetId: leafId })],
  ["record", () => ({ type: "record" })],
  ["fact", () => ({ type: "fact" })],
]);

/**
 * Maximum length of a branch path, in segments. Deeper nesting is cut, because hostile logs would make paths grow
 * without bound.
 */
const MAX_SEGMENTS = 16;

/** The position of an entry in the tree of a session. */
interface PiPlace {
  /** Path of the side branch; undefined on the main one. */
  readonly branch: string | undefined;
  /** The parent that the entry names, if the log has no such entry before it. */
  readonly missingParent: string | undefined;
}

/**
 * Finds the branch of every entry. The path from the last entry to the root is the main branch, which is what pi sends;
 * if the log has several lanes, from the last one of the first lane. Every other entry is on a side branch, named after
 * the first entry that left the path.
 *
 * An entry whose parent is missing (a malformed line) follows the entry before it, so that one bad line does not cut
 * off the history. Sessions of version 1 have no tree and a single branch.
 */
export function piBranches(entries: readonly (PiEntry | undefined)[]): readonly PiPlace[] {
  const parents = resolveParents(entries);
  const chains = chainsOf(parents, endOf(entries));
  const paths = new Map<number, string | undefined>();
  return parents.map(({ missingParent, parent }, index) => {
    const chain = chains[index] as number;
    if (!paths.has(chain)) paths.set(chain, pathOf(chain, chains, parent, entries[index], paths));
    return { branch: paths.get(chain), missingParent };
  });
}

interface Parent {
  /** Index of the parent, or −1 for none. */
  readonly parent: number;
  readonly missingParent: string | undefined;
}

function resolveParents(entries: readonly (PiEntry | undefined)[]): readonly Parent[] {
  const byId = new Map<string, number>();
  return entries.map((entry, index) => {
    const wanted = entry?.parentId;
    const isTree = entry !== undefined && entry.type !== "session" && wanted !== undefined;
    const known = typeof wanted === "string" ? byId.get(wanted) : undefined;
    if (entry?.id !== undefined && entry.type !== "session") byId.set(entry.id, index);
    if (!isTree) return { parent: index - 1, missingParent: undefined };
    if (wanted === null) return { parent: -1, missingParent: undefined };
    return { parent: known ?? index - 1, missingParent: known === undefined ? wanted : undefined };
  });
}

/** Returns the index of the entry that the main branch ends with. */
function endOf(entries: readonly (PiEntry | undefined)[]): number {
  const lane = entries.find((entry) => entry?.fields.lane !== undefined)?.fields.lane;
  const end = lane === undefined ? -1 : entries.findLastIndex((entry) => entry?.fields.lane === lane);
  return end === -1 ? entries.length - 1 : end;
}

/**
 * Finds for each entry the index of the newest entry that descends from it; entries with the same descendant form a
 * chain. The end of the main branch counts as newer than all others.
 */
function chainsOf(parents: readonly Parent[], end: number): readonly number[] {
  const chains = parents.map((_, index) => (index === end ? parents.length : index));
  for (let index = parents.length - 1; index >= 0; index--) {
    const { parent } = parents[index] as Parent;
    if (parent >= 0) chains[parent] = Math.max(chains[parent] as number, chains[index] as number);
  }
  return chains;
}

function pathOf(
  chain: number,
  chains: readonly number[],
  parent: number,
  head: PiEntry | undefined,
  paths: ReadonlyMap<number, string | undefined>,
): string | undefined {
  if (chain === chains.length) return undefined;
  const above = parent >= 0 ? paths.get(chains[parent] as number) : undefined;
  const segments = above === undefined ? [] : above.split("/").slice(0, MAX_SEGMENTS - 1);
  return [...segments, shortId(head?.id ?? `line-${head?.line}`).replaceAll("/", "_")].join("/");
}

/** The messages that a compaction repeats because they are still sent: the first in the log, and those not in it. */
interface RetainedTail {
  readonly from: number | undefined;
  readonly missing: readonly ForeignObject[];
}

/** How far back the tail is looked for: between its messages are settings, and what extensions noted. */
const reachOf = (tail: readonly unknown[]): number => 10 * tail.length + 100;

/** Finds the tail that newer compactions repeat; undefined for those that name the first kept entry. */
export function retainedTail(
  entries: readonly (PiEntry | undefined)[],
  places: readonly PiPlace[],
  compaction: number,
): RetainedTail | undefined {
  const tail = listOf(entries[compaction]?.fields.retainedTail);
  if (tail === undefined) return undefined;
  const path = pathTo(places[compaction]?.branch);
  const oldest = Math.max(0, compaction - reachOf(tail));
  let [left, from]: [number, number | undefined] = [tail.length, undefined];
  for (let index = compaction - 1; index >= oldest && left > 0; index--) {
    if (!path.includes(places[index]?.branch) || !isSaidBy(entries[index], objectOf(tail[left - 1]))) continue;
    [left, from] = [left - 1, index];
  }
  return { from, missing: objectsOf(tail.slice(0, left)) };
}

function isSaidBy(entry: PiEntry | undefined, kept: ForeignObject | undefined): boolean {
  const said = entry && sentBy(entry);
  if (said === undefined || kept === undefined || said.role !== kept.role) return false;
  if (said.toolCallId !== kept.toolCallId || (said.timestamp ?? kept.timestamp) !== kept.timestamp) return false;
  return wordsOf(said) === wordsOf(kept);
}

/** The message that an entry is sent as. */
function sentBy({ type, fields: { message, content, summary } }: PiEntry): ForeignObject | undefined {
  if (type === "message") return objectOf(message);
  if (type === "custom_message") return { role: "custom", content };
  return type === "branch_summary" ? { role: "branchSummary", summary } : undefined;
}

const wordsOf = ({ content, summary, command, output }: ForeignObject): string =>
  canonicalJson(toWellFormedJson([content, summary, command, output].map((field) => field ?? null)));

/**
 * Returns the compactions of a session, given the messages made from its entries. Each identifies the first kept entry:
 * by its index among all entries, the header included (version 1), by its id (from version 2 on), by what it repeats
 * (from version 4 on), or by the number of kept messages (pi's first design).
 */
export function piCompactions(
  entries: readonly (PiEntry | undefined)[],
  messages: readonly EntryMessage[],
): readonly ImportedCompaction[] {
  const compactions = messages.filter(({ entry }) => entries[entry]?.type === "compaction");
  if (compactions.length === 0) return [];
  const kept = new EntryMessages();
  for (const message of messages) kept.add(message);
  const byId = new Map(entries.map((entry, index) => [entry?.id, index]));
  return compactions.map((message, index) => {
    // No compaction keeps anything from before an earlier one on its branch.
    const earlier = compactions.slice(0, index).findLast(({ branch }) => branch === message.branch)?.entry ?? -1;
    const fields = entries[message.entry]?.fields ?? {};
    const details = objectOf(fields.details);
    return withoutUndefined<ImportedCompaction>({
      messageId: message.messageId,
      firstKeptMessageId: firstKept(fields, message, earlier, kept, byId),
      tokensBefore: countOf(fields.tokensBefore),
      details: details && (toWellFormedJson(details) as JsonObject),
    });
  });
}

function firstKept(
  fields: ForeignObject,
  { entry, branch, keptFrom }: EntryMessage,
  earlier: number,
  kept: EntryMessages,
  byId: ReadonlyMap<unknown, number>,
): MessageId | undefined {
  const last = countOf(fields.keepLastMessages);
  const isCounted = fields.firstKeptEntryId === undefined && fields.firstKeptEntryIndex === undefined;
  if (last !== undefined && isCounted) return kept.firstOfLast(last, entry, branch, earlier);
  const named =
    fields.firstKeptEntryId === undefined ? countOf(fields.firstKeptEntryIndex) : byId.get(fields.firstKeptEntryId);
  const from = listOf(fields.retainedTail) === undefined ? named : keptFrom;
  return from === undefined ? undefined : kept.firstFrom(from, entry, pathTo(branch));
}

/** The ancestors of a branch, from the main branch on, and the branch itself. */
function pathTo(branch: string | undefined): readonly (string | undefined)[] {
  const segments = branch?.split("/") ?? [];
  return [undefined, ...segments.map((_, index) => segments.slice(0, index + 1).join("/"))];
}

/** The message made from an entry, and its branch. */
export interface EntryMessage {
  readonly entry: number;
  readonly messageId: MessageId;
  readonly branch: string | undefined;
  /** The first entry that a compaction repeats. */
  readonly keptFrom?: number | undefined;
}

/** The messages made from entries, for finding the first message of a kept tail. */
class EntryMessages {
  readonly #byBranch = new Map<string | undefined, EntryMessage[]>();

  /** Adds a message; entries must be added in log order. */
  add(message: EntryMessage): void {
    const onBranch = this.#byBranch.get(message.branch);
    if (onBranch === undefined) this.#byBranch.set(message.branch, [message]);
    else onBranch.push(message);
  }

  /**
   * Returns the first message at or after one entry and before another that is on one of the given branches. The entry
   * that a compaction names as the first kept one may be a setting, for which there is no message.
   */
  firstFrom(fromEntry: number, beforeEntry: number, branches: readonly (string | undefined)[]): MessageId | undefined {
    let first: EntryMessage | undefined;
    for (const branch of branches) {
      const onBranch = this.#byBranch.get(branch) ?? [];
      const found = onBranch[lowerBound(onBranch, fromEntry)];
      if (found !== undefined && found.entry < (first?.entry ?? beforeEntry)) first = found;
    }
    return first?.messageId;
  }

  /** Returns the first of the last `count` messages on a branch before one entry and after another. */
  firstOfLast(
    count: number,
    beforeEntry: number,
    branch: string | undefined,
    behindEntry: number,
  ): MessageId | undefined {
    const onBranch = this.#byBranch.get(branch) ?? [];
    const end = lowerBound(onBranch, beforeEntry);
    const first = Math.max(lowerBound(onBranch, behindEntry + 1), end - count);
    return first < end ? onBranch[first]?.messageId : undefined;
  }
}

function lowerBound(messages: readonly EntryMessage[], entry: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle] as EntryMessage).entry < entry) low = middle + 1;
    else high = middle;
  }
  return low;
}
