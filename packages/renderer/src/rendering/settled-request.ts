import {
  AppendOnlyList,
  type ChatMessage,
  type Part,
  type Pin,
  type TokenBreakdown,
  type ToolDefinition,
} from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import type { Conformance, DraftRequest, RequestEnds } from "../conform/conformance.ts";
import { cacheMarksIn, callerOf, idOfCaller } from "../conform/left-out-fields.ts";
import { onceKey } from "../conform/parts/leave-out.ts";
import { ItemPairs, isOpenedBy, pairKey } from "../conform/provider-items.ts";
import { conform } from "../conform/repairs.ts";
import { declaredTools } from "../conform/tools.ts";
import type { RenderInput } from "../input/render-input.ts";
import type { RenderedMessage } from "../input/render-manifest.ts";
import { answersOf, callsOf, type Draft } from "../neutral/draft.ts";
import { WarningLog } from "../warnings/warning-log.ts";
import { type EditedRange, renderedMessage, withEdited } from "./build-manifest.ts";
import { countDraft } from "./count-draft.ts";
import { missingPins } from "./missing-pins.ts";

/** The beginning of a request that a longer log no longer changes. An immutable value that grows by whole pieces. */
export interface SettledRequest {
  readonly drafts: AppendOnlyList<Draft>;
  readonly chats: AppendOnlyList<ChatMessage>;
  readonly messages: AppendOnlyList<RenderedMessage>;
  /** Tokens of the messages by share, without the frame. */
  readonly shares: Readonly<Partial<TokenBreakdown>>;
  readonly warnings: WarningLog;
  /**
   * Ids of calls, made or answered, as they are in the log and as they are sent, and keys of the provider's items.
   * Values that grew from one another share the set, so it may contain ids of later pieces; that can make a piece settle
   * later, but never wrongly.
   */
  readonly keys: Set<string>;
  /** Live pins that appear in it word for word. */
  readonly pins: ReadonlySet<Pin>;
  /** Number of cache marks in its messages. */
  readonly marks: number;
  /** The tools that its messages use, for a format that requires them to be declared. */
  readonly usedTools: readonly ToolDefinition[];
  readonly edited: EditedRange;
}

export const NOTHING_SETTLED: () => SettledRequest = () => ({
  drafts: AppendOnlyList.empty(),
  chats: AppendOnlyList.empty(),
  messages: AppendOnlyList.empty(),
  shares: {},
  warnings: new WarningLog(),
  keys: new Set(),
  pins: new Set(),
  marks: 0,
  usedTools: [],
  edited: {},
});

/** What drafts are made legal for. */
type Target = Pick<Conformance, "input" | "requirements">;

/** Appends another piece to the settled request. `logged` are the drafts from which the piece was made. */
export function settle(
  settled: SettledRequest,
  piece: RequestPiece,
  logged: readonly Draft[],
  { input, requirements }: Target,
): SettledRequest {
  for (const draft of [...logged, ...piece.drafts])
    for (const key of keysOf(draft, requirements)) settled.keys.add(key);
  return {
    drafts: settled.drafts.append(piece.drafts),
    chats: settled.chats.append(piece.drafts.map(({ chat }) => chat)),
    messages: settled.messages.append(renderedMessages(piece, settled.messages.length)),
    shares: addShares(settled.shares, piece),
    warnings: WarningLog.join(settled.warnings, piece.warnings),
    keys: settled.keys,
    pins: withPins(settled.pins, piece, input.thread.livePins),
    marks: settled.marks + piece.marks,
    usedTools: declaredTools(settled.usedTools, piece.drafts),
    edited: withEdited(settled.edited, piece.drafts, settled.messages.length, input),
  };
}

function withPins(found: ReadonlySet<Pin>, { drafts }: RequestPiece, livePins: readonly Pin[]): ReadonlySet<Pin> {
  const sought = livePins.filter((pin) => !found.has(pin));
  if (sought.length === 0) return found;
  const missing = new Set(missingPins(sought, [], drafts));
  return missing.size === sought.length ? found : new Set([...found, ...sought.filter((pin) => !missing.has(pin))]);
}

/**
 * Returns where the last piece of a log begins that is not tied to anything before it: it starts with an assistant
 * message after another speaker's message, its results are in place, its keys are new, and no call before it waits for
 * the provider to continue. 0 when there is none.
 */
export function lastPieceStart(
  drafts: readonly Draft[],
  settledKeys: ReadonlySet<string>,
  { input, requirements }: Target,
): number {
  const keys = drafts.map((draft) => keysOf(draft, requirements));
  const lastOf = new Map<string, number>();
  for (const [index, own] of keys.entries()) for (const key of own) lastOf.set(key, index);
  const order = new CallOrder();
  const items = new ItemPairs(requirements);
  let start = 0;
  let tiedUntil = 0;
  for (const [index, draft] of drafts.entries()) {
    const own = keys[index] as readonly string[];
    if (index > tiedUntil && isPieceStart(draft, drafts, index) && !items.isOpen) start = index;
    const isInPlace = order.add(draft);
    const isBound = isOpenedBy(draft.message, input, requirements) || own.some((key) => settledKeys.has(key));
    if (!isInPlace || isBound) start = 0;
    for (const key of own) tiedUntil = Math.max(tiedUntil, lastOf.get(key) as number);
    items.add(draft.chat);
  }
  return start;
}

/** System messages may be between what is said and its answer. */
function isPieceStart({ chat, message }: Draft, drafts: readonly Draft[], index: number): boolean {
  if (chat.role !== "assistant" || message === null) return false;
  let before = index - 1;
  while (drafts[before]?.chat.role === "system") before--;
  return before >= 0 && drafts[before]?.chat.role !== "assistant";
}

/** Checks that drafts have none of these keys, and that the request does not begin with any of them. */
export const isApart = (
  drafts: readonly Draft[],
  keys: ReadonlySet<string>,
  { input, requirements }: Target,
): boolean =>
  drafts.every(
    (draft) =>
      !isOpenedBy(draft.message, input, requirements) && keysOf(draft, requirements).every((key) => !keys.has(key)),
  );

/**
 * Returns what ties a draft to others: the ids of the calls that it makes, or the one that it answers; and of its opaque
 * items, and the calls they made, what a call shares with its answer and an item with its repetition.
 */
function keysOf(draft: Draft, requirements: FormatRequirements): readonly string[] {
  const answered = answersOf(draft);
  const ids = answered === undefined ? callsOf(draft) : [answered];
  const isBare = (part: Part): boolean => part.type !== "opaque" && part.providerMetadata === undefined;
  if (draft.chat.parts.every(isBare)) return ids;
  return [...ids, ...draft.chat.parts.flatMap((part) => itemKeys(part, requirements))];
}

const NO_KEYS: readonly string[] = [];

function itemKeys(part: Part, { opaquePairs = [], opaqueOnce, callers }: FormatRequirements): readonly string[] {
  const caller = callers === undefined ? undefined : callerOf(part, callers);
  if (part.type !== "opaque" && caller === undefined) return NO_KEYS;
  const pair = pairKey(part, opaquePairs);
  const once = opaqueOnce === undefined ? undefined : onceKey(part, opaqueOnce);
  const made = callers === undefined ? undefined : idOfCaller(part, callers);
  return [
    // Without a name, a call and its answer are in one message.
    ...(pair?.isNamed === true ? [pair.key] : []),
    ...(once === undefined ? [] : [`once ${once}`]),
    ...[caller, made].flatMap((item) => (item === undefined ? [] : [`caller ${JSON.stringify(item)}`])),
  ];
}

/** Tells of one draft after the other whether results follow their calls, in their order, and no id is used twice. */
class CallOrder {
  readonly #seen = new Set<string>();
  /** The calls of the last message, from the first one on that a result may still answer. */
  #calls: readonly string[] = [];
  #next = 0;

  add(draft: Draft): boolean {
    const answered = answersOf(draft);
    if (answered !== undefined) {
      const at = this.#calls.indexOf(answered, this.#next);
      if (at >= 0) this.#next = at + 1;
      return at >= 0;
    }
    this.#calls = callsOf(draft);
    this.#next = 0;
    const before = this.#seen.size;
    for (const call of this.#calls) this.#seen.add(call);
    return draft.chat.role !== "tool" && this.#seen.size === before + this.#calls.length;
  }
}

/** A run of messages that has been made legal and counted. */
export interface RequestPiece {
  readonly drafts: readonly Draft[];
  /** Tokens of each draft. */
  readonly tokens: readonly number[];
  /** Number of cache marks. */
  readonly marks: number;
  readonly warnings: WarningLog;
}

/** A piece that begins a request, with the frame as the format requires it. */
export interface FirstPiece extends RequestPiece {
  readonly frame: Omit<DraftRequest, "drafts">;
}

/** Makes a run of drafts legal and counts it. */
export function requestPiece(
  request: DraftRequest,
  input: RenderInput,
  requirements: FormatRequirements,
  ends: RequestEnds,
): FirstPiece {
  const warnings = new WarningLog();
  const { drafts, ...frame } = conform(request, { requirements, input, warnings, ends });
  const tokens = drafts.map((draft) => countDraft(draft, input.ledger));
  return { drafts, tokens, marks: cacheMarksIn(drafts, requirements), warnings, frame };
}

/** Returns the messages of a piece as the manifest lists them, numbered from the given index. */
export const renderedMessages = ({ drafts, tokens }: RequestPiece, from: number): readonly RenderedMessage[] =>
  drafts.map((draft, index) => renderedMessage(draft, from + index, tokens[index] as number));

/** Adds the tokens of a piece to the shares. */
export function addShares(
  shares: Readonly<Partial<TokenBreakdown>>,
  { drafts, tokens }: RequestPiece,
): Partial<TokenBreakdown> {
  const sums: { -readonly [Share in keyof TokenBreakdown]?: number } = { ...shares };
  drafts.forEach(({ share }, index) => {
    sums[share] = (sums[share] ?? 0) + (tokens[index] as number);
  });
  return sums;
}
