import type { AgentThread, JournalEntry, MessageId, RequestRenderedRecord } from "@threadfold/core";
import { type PrefixDivergence, prefixDiff, type Rendering } from "@threadfold/renderer";
import type { RecordedRequest } from "@threadfold/session";
import type { BlockRow, BreakRow, RequestRow } from "../rows/call-row.ts";
import { type Revision, RowList, Table } from "../rows/table.ts";
import { LEADING_BLOCKS, leadingBlocks, messageBlock, type RequestBlock, requestShares } from "./request-blocks.ts";

/** Context that the tables need in addition to a request. */
export interface RequestContext {
  readonly thread: AgentThread;
  /** Index of the frame among the frames. */
  readonly frame: number;
  /** Returns the index of the record that made a block; -1 for none. */
  recordOf(block: RequestBlock): number;
}

/** Where a request diverges from the previous one; the bill knows the cost. */
export type RequestBreak = Omit<BreakRow, "missedTokens" | "price">;

/** The previous request, as far as the next one is compared with it. */
interface NewestRequest {
  readonly rendering: Rendering;
  readonly payload: string;
  /** Indexes of its blocks in the table. */
  readonly blocks: readonly number[];
}

const NO_CALL: RequestRow = {
  sequence: 0,
  at: 0,
  messages: 0,
  threadVersion: 0,
  planVersion: 0,
  folded: false,
  frame: -1,
  tokens: 0,
  recordedTokens: 0,
  system: 0,
  tools: 0,
  pins: 0,
  kept: 0,
  cleared: 0,
  summaries: 0,
  pointers: 0,
  rehydrated: 0,
  overhead: 0,
  shared: 0,
  firstBlock: 0,
  break: -1,
  digest: "",
  bytes: 0,
  replay: "not-rendered",
};

const NO_BLOCK: BlockRow = { action: "include", role: "user", tokens: 0, from: -1, to: -1, record: -1, text: -1 };

/**
 * The calls of a thread and the blocks of their requests. Between two folds, a request is the previous one plus a
 * little more, so each has only its own blocks and the number of leading blocks that it shares with the previous one.
 */
export class RequestTables {
  readonly calls: Table<RequestRow>;
  readonly blocks: Table<BlockRow>;
  readonly breaks: RowList<RequestBreak>;
  /** Texts of blocks that are not a message exactly as logged. */
  readonly texts: string[] = [];
  /** How many requests produced the recorded bytes, produced others, or could not be rendered. */
  readonly replay = { equal: 0, different: 0, notRendered: 0 };
  /** Ordinals of messages that a call showed, each with the first such call, since they were last taken. */
  readonly #firstShown = new Map<number, number>();
  readonly #shown = new Set<number>();
  #newest: NewestRequest | null = null;

  constructor(revision: Revision) {
    this.calls = new Table(NO_CALL, revision);
    this.blocks = new Table(NO_BLOCK, revision);
    this.breaks = new RowList(revision);
  }

  /** The index of the newest call; -1 for none. */
  get newestCall(): number {
    return this.calls.length - 1;
  }

  /**
   * Returns the messages first shown unchanged since the last call of this method, each with the call that showed it.
   */
  takeFirstShown(): readonly (readonly [ordinal: number, call: number])[] {
    const shown = [...this.#firstShown];
    this.#firstShown.clear();
    return shown;
  }

  /** The blocks of the newest request, as indexes into the table. */
  get newestBlocks(): readonly number[] {
    return this.#newest?.blocks ?? [];
  }

  /** Adds a recorded request. */
  take(entry: JournalEntry, record: RequestRenderedRecord, request: RecordedRequest, context: RequestContext): void {
    const { rendering, digest } = request.rendered;
    const before = this.#newest;
    const difference = before === null ? null : prefixDiff(before.rendering, rendering);
    const shared = before === null ? 0 : sharedBlocks(before, difference);
    const firstBlock = this.blocks.length;
    const blocks = this.#keepBlocks(rendering, shared, context);
    const cleared = this.#tokensOf(blocks, "clear");
    const isBroken = before !== null && difference !== null;
    const breakPlace = isBroken
      ? this.breaks.push(
          this.#breakRow(before, {
            difference: { ...difference, reason: reasonByOrdinals(difference, [before.rendering, rendering], context) },
            shared,
            payload: digest.text,
          }),
        )
      : -1;
    const isEqual = digest.digest === record.payloadDigest;
    this.replay[isEqual ? "equal" : "different"]++;
    this.calls.push({
      ...this.#recorded(entry, record),
      messages: request.state.thread.length,
      frame: context.frame,
      tokens: rendering.tokens,
      ...requestShares(rendering.breakdown, cleared),
      shared,
      firstBlock,
      break: breakPlace,
      bytes: digest.bytes,
      replay: isEqual ? "equal" : "different",
    });
    this.#newest = { rendering, payload: digest.text, blocks };
  }

  /** Adds a request that can no longer be rendered: its figures are those of the journal. */
  takeUnrendered(entry: JournalEntry, record: RequestRenderedRecord): void {
    const { tokens } = record;
    this.replay.notRendered++;
    this.calls.push({ ...this.#recorded(entry, record), firstBlock: this.blocks.length, tokens });
    this.#newest = null;
  }

  #recorded({ sequence, at }: JournalEntry, record: RequestRenderedRecord): RequestRow {
    const { threadVersion, planVersion, tokens, payloadDigest } = record;
    const folded = this.newestCall >= 0 && this.calls.cell(this.newestCall, "planVersion") !== planVersion;
    return {
      ...NO_CALL,
      ...{ sequence, threadVersion, planVersion, folded, recordedTokens: tokens, digest: payloadDigest },
      at: Date.parse(at),
    };
  }

  /**
   * Returns the indexes of all blocks of a request: those shared with the previous one, and its own, which are added.
   */
  #keepBlocks(rendering: Rendering, shared: number, context: RequestContext): readonly number[] {
    const places = this.newestBlocks.slice(0, shared);
    const keep = (block: RequestBlock): void => {
      places.push(this.blocks.length);
      this.#keepBlock(block, context);
    };
    if (shared === 0) leadingBlocks(rendering).forEach(keep);
    for (let index = Math.max(0, shared - LEADING_BLOCKS); index < rendering.manifest.messages.length; index++)
      keep(messageBlock(rendering, index, context.thread));
    return places;
  }

  #keepBlock(block: RequestBlock, context: RequestContext): void {
    const { action, role, tokens, rendered, text } = block;
    const sources = rendered?.sources ?? [];
    const ordinalOf = (id: MessageId | undefined): number =>
      (id === undefined ? undefined : context.thread.messageInMemory(id)?.ordinal) ?? -1;
    const place = text === null || text === "" ? -1 : this.texts.push(text) - 1;
    const span = { from: ordinalOf(sources[0]), to: ordinalOf(sources.at(-1)) };
    this.blocks.push({ action, role, tokens, ...span, record: context.recordOf(block), text: place });
    // The call is not in the table yet.
    if (action === "include") for (const id of sources) this.#show(ordinalOf(id), this.calls.length);
  }

  #show(ordinal: number, call: number): void {
    if (ordinal < 0 || this.#shown.has(ordinal)) return;
    this.#shown.add(ordinal);
    this.#firstShown.set(ordinal, call);
  }

  #breakRow(
    before: NewestRequest,
    now: { difference: PrefixDivergence; shared: number; payload: string },
  ): RequestBreak {
    const { kind, reason } = now.difference;
    const sharedTokens = before.blocks
      .slice(0, now.shared)
      .reduce((sum, place) => sum + this.blocks.cell(place, "tokens"), 0);
    return {
      call: this.calls.length,
      block: now.difference.message < 0 ? leadingPlace(kind) : now.shared,
      byte: firstDifference(before.payload, now.payload),
      kind,
      reason,
      lostTokens: before.rendering.tokens - sharedTokens,
    };
  }

  #tokensOf(places: readonly number[], action: BlockRow["action"]): number {
    return places.reduce(
      (sum, place) => sum + (this.blocks.cell(place, "action") === action ? this.blocks.cell(place, "tokens") : 0),
      0,
    );
  }
}

/** Returns the reason, naming messages by their ordinals as everything else does. */
function reasonByOrdinals(
  { message, reason }: PrefixDivergence,
  renderings: readonly Rendering[],
  { thread }: RequestContext,
): string {
  const ids = renderings.flatMap(({ manifest }) => manifest.messages[message]?.sources[0] ?? []);
  return ids.reduce((words, id) => {
    const ordinal = thread.messageInMemory(id)?.ordinal;
    return ordinal === undefined ? words : words.replaceAll(`message ${id}`, () => `message #${ordinal}`);
  }, reason);
}

/** Returns which of the leading blocks differs. */
const leadingPlace = (kind: PrefixDivergence["kind"]): number => ({ tools: 1, system: 2 })[kind as string] ?? 0;

function sharedBlocks({ blocks }: NewestRequest, difference: PrefixDivergence | null): number {
  if (difference === null) return blocks.length;
  return difference.message < 0 ? 0 : LEADING_BLOCKS + difference.message;
}

/** Returns the first byte, in UTF-8, at which two texts differ; if one is a prefix of the other, its length. */
function firstDifference(a: string, b: string): number {
  let index = sharedLength(a, b);
  // Half a surrogate pair is not a character: the whole character differs.
  if (index > 0 && isHighSurrogate(a.charCodeAt(index - 1))) index--;
  return Buffer.byteLength(a.slice(0, index));
}

/** Returns how many UTF-16 code units two texts have in common at their beginning. */
export function sharedLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let index = 0;
  // The engine compares whole stretches, which is many times faster than a loop.
  while (index + STRETCH <= length && a.slice(index, index + STRETCH) === b.slice(index, index + STRETCH))
    index += STRETCH;
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  return index;
}

const STRETCH = 4_096;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
