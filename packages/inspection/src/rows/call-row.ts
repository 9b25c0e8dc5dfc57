import type { Role } from "@threadfold/core";
import type { PrefixDivergence, RenderedAction } from "@threadfold/renderer";

/** Why a call paid for tokens that a prompt cache could have had, or that nothing was missed. */
export type MissCause =
  /** Nothing was missed: all that the call before had cached was read. */
  | "none"
  | "first-call"
  /** The prefix had been written longer ago than the provider keeps it. */
  | "expired"
  /** The request departs from the one before; its break says where. */
  | "changed"
  /** The shared prefix is shorter than what the provider caches. */
  | "below-minimum"
  /** It is there, and no mark of the request stands near enough behind it. */
  | "out-of-reach"
  /** The provider could have had the prefix and says that it read less. */
  | "not-claimed"
  /** The provider says that it read more than the requests have in common. */
  | "claimed-more";

/** Whether a recorded request rendered again gives the recorded bytes. */
export type ReplayState = "equal" | "different" | "not-rendered";

/**
 * A request that was handed out: one call of the model. The nine shares from `system` to `overhead` add up to `tokens`;
 * `cached`, `written` and `fresh` add up to `inputTokens`.
 */
export interface CallRow {
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
  /** Tokens that the request might have had; null when nothing says. */
  readonly limit: number | null;
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
  readonly cause: MissCause;
  /** How many tokens those are. */
  readonly missed: number;
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
  /** What the tokens behind the departure cost more than a cached read of them would have, in input tokens. */
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
