import type { MissCause, PrefixChanger, Role } from "@threadfold/core";
import type { PrefixDivergence, RenderedAction } from "@threadfold/renderer";
import type { Columns } from "./table.ts";

/** Why tokens of a call were not read from the prompt cache, as the bill names it; or that nothing was missed. */
export type CallCause = "none" | Exclude<MissCause["cause"], "changed"> | `changed by ${PrefixChanger}`;

/** Whether a recorded request rendered again gives the recorded bytes. */
export type ReplayState = "equal" | "different" | "not-rendered";

/**
 * A request that was handed out: one call of the model. The nine shares from `system` to `overhead` add up to `tokens`;
 * `cached`, `written` and `fresh` add up to `inputTokens`.
 */
export interface CallRow extends RequestRow, CallCost {}

/** What a call's request was made of, and whether it is proved. */
export interface RequestRow {
  /** Place of the record in the thread's journal. */
  readonly sequence: number;
  /** When it was rendered, in milliseconds since the epoch. */
  readonly at: number;
  /** How many messages the thread had. */
  readonly messages: number;
  readonly threadVersion: number;
  readonly planVersion: number;
  /** True when another plan held at the call before: a fold stands between the two. */
  readonly folded: boolean;
  /** Place in `InspectionIndex.frames`: format, model, system text and tools. */
  readonly frame: number;
  /** Tokens of the request, counted now as it was then. */
  readonly tokens: number;
  /** Tokens that the journal says it had: the same, unless it was counted by something that is not at hand here. */
  readonly recordedTokens: number;
  readonly system: number;
  readonly tools: number;
  readonly pins: number;
  /** Messages as they are. */
  readonly kept: number;
  /** Messages with an emptied body. */
  readonly cleared: number;
  readonly summaries: number;
  /** Pointers to what lies in the artifact store. */
  readonly pointers: number;
  /** What came back for this request alone. */
  readonly rehydrated: number;
  /** What the provider wraps around a request, and what its rules ask for. */
  readonly overhead: number;
  /** How many blocks of the call before this request begins with: it continues with its own blocks. */
  readonly shared: number;
  /** Its own blocks: from this place in `InspectionIndex.blocks` up to that of the next call, or the end. */
  readonly firstBlock: number;
  /** Place in `InspectionIndex.breaks`; -1 when the request extends the one before, or is the first. */
  readonly break: number;
  /** SHA-256 of the payload as it was recorded, in hexadecimal. */
  readonly digest: string;
  /** Length of the payload as it was rendered now, in bytes of UTF-8; 0 when it could not be. */
  readonly bytes: number;
  readonly replay: ReplayState;
}

/** What a call cost: its line of the bill. */
export interface CallCost {
  /** Tokens read from the prompt cache, written to it, and neither. */
  readonly cached: number;
  readonly written: number;
  readonly fresh: number;
  /** What the provider reported, in its own tokens; where it reported nothing, what was counted. */
  readonly inputTokens: number;
  readonly outputTokens: number | null;
  /** True when the provider reported its tokens; otherwise its cache was played through by its published rules. */
  readonly reported: boolean;
  /** Price of the input: one is the price of an uncached input token. */
  readonly cost: number;
  /** Price of input and output in US dollars; null where the model's prices are not known. */
  readonly dollars: number | null;
  /** Why tokens were paid for that could have been read from the cache: what explains most of them. */
  readonly cause: CallCause;
  /** How many tokens that explains. */
  readonly missed: number;
  /**
   * Tokens that the request could have: what its session left for it; where the journal does not say that, the model's
   * window; null where neither is known.
   */
  readonly limit: number | null;
}

/**
 * What a block of a request is: how a message of it came about, or what stands before the messages. `wrapping` is what
 * the provider puts around a request. The blocks of a request add up to its tokens.
 */
export type BlockAction = RenderedAction | "wrapping" | "tools" | "system";

/**
 * A block of a request, in the provider's order: wrapping, tools, system text, then message by message. A block is listed at
 * the first call that has it at that place behind the same blocks.
 */
export interface BlockRow {
  readonly action: BlockAction;
  readonly role: Role;
  readonly tokens: number;
  /** Ordinals of the first and the last message that it stands for; -1 for none. */
  readonly from: number;
  readonly to: number;
  /** Place in `InspectionIndex.records` of what made it; -1 for a block that no fold made. */
  readonly record: number;
  /** Place of its text among the texts; -1 where it shows the message `from` as it is logged. */
  readonly text: number;
}

/** Tables that say which blocks a request has. */
interface BlockTables {
  readonly calls: Pick<Columns<RequestRow>, "shared" | "firstBlock">;
  readonly blocks: Pick<Columns<BlockRow>, "action">;
}

/** The blocks of a call's request, in order, as places in `InspectionIndex.blocks`. */
export function callBlocks({ calls, blocks }: BlockTables, call: number): readonly number[] {
  const places: number[] = [];
  // From the call backwards: of each earlier one, what the next one took over.
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

/** Where a request departs from the one before it, and what that costs. */
export interface BreakRow {
  readonly call: number;
  /** The block, counted within the request from 0. */
  readonly block: number;
  /** First byte of the payload, in UTF-8, that differs; null when a payload could not be rendered. */
  readonly byte: number | null;
  readonly kind: PrefixDivergence["kind"];
  /** One sentence without its end. */
  readonly reason: string;
  /** Tokens of the call before that stand behind the departure, and so are of no more use in the cache. */
  readonly lostTokens: number;
  /** Of these, what the call paid for anew that was in the cache, in the provider's tokens. */
  readonly missedTokens: number;
  /** What that cost more than a cached read, in uncached input tokens. */
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
