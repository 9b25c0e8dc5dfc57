import type { MissCause, PrefixChanger, Role } from "@threadfold/core";
import type { PrefixDivergence, RenderedAction } from "@threadfold/renderer";
import type { Columns } from "./table.ts";

/** Why tokens of a call were not read from the prompt cache, in the bill's terms, or `none` if nothing was missed. */
export type CallCause = "none" | Exclude<MissCause["cause"], "changed"> | `changed by ${PrefixChanger}`;

/** Whether rendering a recorded request again produces the recorded bytes. */
export type ReplayState = "equal" | "different" | "not-rendered";

/**
 * A request that was handed out: one call of the model. The nine shares from `system` to `overhead` add up to `tokens`;
 * `cached`, `written` and `fresh` add up to `inputTokens`.
 */
export interface CallRow extends RequestRow, CallCost {}

/** The composition of a call's request, and whether it could be reproduced. */
export interface RequestRow {
  /** Sequence number of the record in the thread's journal. */
  readonly sequence: number;
  /** When it was rendered, in milliseconds since the epoch. */
  readonly at: number;
  /** Number of messages in the thread. */
  readonly messages: number;
  readonly threadVersion: number;
  readonly planVersion: number;
  /** True when the previous call had a different plan: a fold came between the two. */
  readonly folded: boolean;
  /** Index into `InspectionIndex.frames`: format, model, system text and tools. */
  readonly frame: number;
  /** Tokens of the request, counted again now. */
  readonly tokens: number;
  /** Tokens according to the journal: the same, unless it was counted by a tokenizer that is not available here. */
  readonly recordedTokens: number;
  readonly system: number;
  readonly tools: number;
  readonly pins: number;
  /** Unchanged messages. */
  readonly kept: number;
  /** Messages with a cleared body. */
  readonly cleared: number;
  readonly summaries: number;
  /** Pointers to content in the artifact store. */
  readonly pointers: number;
  /** Content that was restored for this request only. */
  readonly rehydrated: number;
  /** Tokens that the provider wraps around a request, and those that its rules require. */
  readonly overhead: number;
  /** Number of leading blocks that this request shares with the previous call; its own blocks follow. */
  readonly shared: number;
  /**
   * Index of its first own block in `InspectionIndex.blocks`; they extend to the first of the next call, or to the end.
   */
  readonly firstBlock: number;
  /** Index into `InspectionIndex.breaks`; -1 when the request extends the previous one, or is the first. */
  readonly break: number;
  /** SHA-256 of the payload as it was recorded, in hexadecimal. */
  readonly digest: string;
  /** Length of the payload as rendered now, in bytes of UTF-8; 0 when it could not be rendered. */
  readonly bytes: number;
  readonly replay: ReplayState;
}

/** The cost of a call: its line of the bill. */
export interface CallCost {
  /** Tokens read from the prompt cache, tokens written to it, and the rest. */
  readonly cached: number;
  readonly written: number;
  readonly fresh: number;
  /** Input tokens as the provider reported them; if it reported none, as they were counted. */
  readonly inputTokens: number;
  readonly outputTokens: number | null;
  /** True when the provider reported its tokens; otherwise its cache was simulated by its published rules. */
  readonly reported: boolean;
  /** Price of the input, in multiples of the price of an uncached input token. */
  readonly cost: number;
  /** Price of input and output in US dollars; null if the model's prices are unknown. */
  readonly dollars: number | null;
  /** Why tokens were paid for that could have been read from the cache: the cause of most of them. */
  readonly cause: CallCause;
  /** Number of tokens that are due to this cause. */
  readonly missed: number;
  /**
   * Maximum tokens of the request: what its session left for it; if the journal does not say, the model's window; null
   * if neither is known.
   */
  readonly limit: number | null;
  /** Tokens that the provider was expected to count: what `limit` limits, unlike `tokens`. */
  readonly estimated: number;
}

/**
 * What a block of a request is: how its message came about, or a part before the messages. `wrapping` is what the
 * provider puts around a request. The blocks of a request add up to its tokens.
 */
export type BlockAction = RenderedAction | "wrapping" | "tools" | "system";

/**
 * A block of a request, in the provider's order: wrapping, tools, system text, then message by message. A block is
 * listed at the first call that has it at that position after the same blocks.
 */
export interface BlockRow {
  readonly action: BlockAction;
  readonly role: Role;
  readonly tokens: number;
  /** Ordinals of the first and the last message that it represents; -1 for none. */
  readonly from: number;
  readonly to: number;
  /** Index into `InspectionIndex.records` of the record that made it; -1 for a block that no fold made. */
  readonly record: number;
  /** Index of its text among the texts; -1 if it shows the message `from` as logged. */
  readonly text: number;
}

/** The tables that say which blocks a request has. */
interface BlockTables {
  readonly calls: Pick<Columns<RequestRow>, "shared" | "firstBlock">;
  readonly blocks: Pick<Columns<BlockRow>, "action">;
}

/** Returns the blocks of a call's request, in order, as indexes into `InspectionIndex.blocks`. */
export function callBlocks({ calls, blocks }: BlockTables, call: number): readonly number[] {
  const places: number[] = [];
  // Going backwards from the call, collect from each earlier one the blocks that the next one shares.
  let wanted = Number.POSITIVE_INFINITY;
  for (let at = call; at >= 0 && wanted > 0; at--) {
    const shared = calls.shared[at] ?? 0;
    if (shared >= wanted) continue;
    const first = calls.firstBlock[at] ?? 0;
    const end = calls.firstBlock[at + 1] ?? blocks.action.length;
    const own = Math.min(end - first, wanted - shared);
    for (let place = first + own - 1; place >= first; place--) places.push(place);
    wanted = shared;
  }
  return places.reverse();
}

/** Where a request diverges from the previous one, and the cost of that. */
export interface BreakRow {
  readonly call: number;
  /** The first block that differs, counted within the request from 0. */
  readonly block: number;
  /** Offset of the first byte of the payload, in UTF-8, that differs; null when a payload could not be rendered. */
  readonly byte: number | null;
  readonly kind: PrefixDivergence["kind"];
  /** One sentence without its final period. */
  readonly reason: string;
  /** Tokens of the previous call after the divergence, which are of no more use in the cache. */
  readonly lostTokens: number;
  /** Tokens that were in the cache and had to be paid for again because of the change, in the provider's tokens. */
  readonly missedTokens: number;
  /** Their extra cost over cached reads, in uncached input tokens. */
  readonly price: number;
}

/** What requests were rendered with besides thread and plan. */
export interface FrameRow {
  readonly format: string;
  readonly model: string | null;
  readonly tokenizer: string;
  readonly renderVersion: string;
  /** Names of the tools. */
  readonly tools: readonly string[];
}
