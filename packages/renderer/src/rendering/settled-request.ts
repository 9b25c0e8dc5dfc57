import {
  AppendOnlyList,
  type ChatMessage,
  type Part,
  type Pin,
  type TokenBreakdown,
  type ToolDefinition,
} from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import { type Conformance, type DraftRequest, type RequestEnds, SentCallIds } from "../conform/conformance.ts";
import { cacheMarksIn, callerOf, idOfCaller } from "../conform/left-out-fields.ts";
import { onceKey } from "../conform/parts/leave-out.ts";
import { ItemPairs, isOpenedBy, pairKey } from "../conform/provider-items.ts";
import { conform } from "../conform/repairs.ts";
import { declaredTools } from "../conform/tools.ts";
import type { RenderInput } from "../input/render-input.ts";
import type { RenderedMessage } from "../input/render-manifest.ts";
import { answersOf, callsOf, type Draft } from "../neutral/draft.ts";
import { SettledWarnings, WarningLog } from "../warnings/warning-log.ts";
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
  readonly warnings: SettledWarnings;
  /**
   * Keys of the provider's items. Values that grew from one another share the set, so it may contain keys of later
   * pieces; that can make a piece settle later, but never wrongly.
   */
  readonly keys: Set<string>;
  /**
   * Ids of calls, made or answered, as they are in the log, with the turn in which a call of that id still waits for its
   * result. Shared like `keys`.
   */
  readonly calls: Map<string, number>;
  /** The ids that its calls are sent with, for a format in which no two calls may have the same. */
  readonly callIds: SentCallIds;
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
  warnings: SettledWarnings.none(),
  keys: new Set(),
  calls: new Map(),
  callIds: SentCallIds.none(),
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
    for (const key of itemKeysOf(draft, requirements)) settled.keys.add(key);
  for (const [id, waits] of waitingCalls(logged))
    settled.calls.set(id, Math.max(waits, settled.calls.get(id) ?? ANSWERED));
  return {
    drafts: settled.drafts.append(piece.drafts),
    chats: settled.chats.append(piece.drafts.map(({ chat }) => chat)),
    messages: settled.messages.append(renderedMessages(piece, settled.messages.length)),
    shares: addShares(settled.shares, piece),
    warnings: settled.warnings.append(piece.warnings),
    keys: settled.keys,
    calls: settled.calls,
    callIds: settled.callIds.append(sentCalls(piece, requirements)),
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
 * message after another speaker's message, nothing before it shares its items or waits for its results, and no call
 * before it waits for the provider to continue. 0 when there is none.
 */
export function lastPieceStart(drafts: readonly Draft[], { input, requirements }: Target): number {
  const uses = new CallUses();
  const roots = drafts.map((draft, index) => uses.add(draft, index));
  const ends = tieEnds(drafts, roots, requirements);
  const items = new ItemPairs(requirements);
  let start = 0;
  let tiedUntil = 0;
  for (const [index, draft] of drafts.entries()) {
    if (index > tiedUntil && isPieceStart(draft, drafts, index) && !items.isOpen) start = index;
    if (isOpenedBy(draft.message, input, requirements)) start = 0;
    tiedUntil = Math.max(tiedUntil, ends[index] as number);
    items.add(draft.chat);
  }
  return start;
}

/** Returns for each draft the index of the last one that is tied to it. */
function tieEnds(
  drafts: readonly Draft[],
  roots: readonly number[],
  requirements: FormatRequirements,
): readonly number[] {
  const ends = [...drafts.keys()];
  const firstOf = new Map<string, number>();
  for (const [index, draft] of drafts.entries()) {
    ends[roots[index] as number] = index;
    for (const key of itemKeysOf(draft, requirements)) {
      const first = firstOf.get(key) ?? index;
      firstOf.set(key, first);
      ends[first] = index;
    }
  }
  return ends;
}

/** System messages may be between what is said and its answer. */
function isPieceStart({ chat, message }: Draft, drafts: readonly Draft[], index: number): boolean {
  if (chat.role !== "assistant" || message === null) return false;
  let before = index - 1;
  while (drafts[before]?.chat.role === "system") before--;
  return before >= 0 && drafts[before]?.chat.role !== "assistant";
}

/**
 * Checks that nothing in the settled request is tied to these drafts, and that the request does not begin with any of
 * them. A call may have the id of an earlier one (some providers number the calls of each answer) once that one was
 * answered, or a turn has begun since.
 */
export function isApart(
  drafts: readonly Draft[],
  { keys, calls }: SettledRequest,
  { input, requirements }: Target,
): boolean {
  const called = new Set<string>();
  return drafts.every((draft) => {
    const answered = answersOf(draft);
    const ids = callsOf(draft);
    const isTied =
      isOpenedBy(draft.message, input, requirements) ||
      itemKeysOf(draft, requirements).some((key) => keys.has(key)) ||
      ids.some((id) => (calls.get(id) ?? ANSWERED) >= turnOf(draft)) ||
      (answered !== undefined && calls.has(answered) && !called.has(answered));
    for (const id of ids) called.add(id);
    return !isTied;
  });
}

/** A message that rendering made is in no turn, so no turn is later. */
const turnOf = ({ message }: Draft): number => message?.turn ?? NEVER;

/**
 * Returns the keys of a draft's opaque items, and of the calls they made: what a call shares with its answer, and an item
 * with its repetition.
 */
function itemKeysOf({ chat }: Draft, requirements: FormatRequirements): readonly string[] {
  const isBare = (part: Part): boolean => part.type !== "opaque" && part.providerMetadata === undefined;
  return chat.parts.every(isBare) ? NO_KEYS : chat.parts.flatMap((part) => itemKeys(part, requirements));
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

/** No call with the id waits for a result. */
const ANSWERED = Number.NEGATIVE_INFINITY;
/** No later turn ends the wait: nobody can tell which calls and results with the id belong together. */
const NEVER = Number.POSITIVE_INFINITY;

/** Tells of one draft after the other which earlier ones its calls, or its result, belong to: as messages are grouped. */
class CallUses {
  /** The latest use of each id: where it began, and the turn in which it waits for a result. */
  readonly #uses = new Map<string, { readonly root: number; readonly waits: number }>();

  /** The turn in which each id still waits for a result. */
  get waiting(): Iterable<readonly [id: string, waits: number]> {
    return [...this.#uses].map(([id, { waits }]) => [id, waits]);
  }

  /** Returns the index of the first draft that the next one is tied to; its own when there is none. */
  add(draft: Draft, index: number): number {
    const answered = answersOf(draft);
    if (answered !== undefined) return this.#answer(answered, index);
    return callsOf(draft).reduce((first, id) => Math.min(first, this.#call(id, index, turnOf(draft))), index);
  }

  #call(id: string, index: number, turn: number): number {
    const before = this.#uses.get(id);
    const isApart = before === undefined || before.waits < turn;
    const root = isApart ? index : before.root;
    this.#uses.set(id, { root, waits: isApart ? turn : NEVER });
    return root;
  }

  /**
   * A result ends the wait of its call, wherever it comes, and another one for that call changes nothing. After one that
   * no call came before, all uses of its id stay together.
   */
  #answer(id: string, index: number): number {
    const { root, waits } = this.#uses.get(id) ?? { root: index, waits: NEVER };
    this.#uses.set(id, { root, waits: waits === NEVER ? NEVER : ANSWERED });
    return root;
  }
}

function waitingCalls(drafts: readonly Draft[]): Iterable<readonly [id: string, waits: number]> {
  const uses = new CallUses();
  for (const [index, draft] of drafts.entries()) uses.add(draft, index);
  return uses.waiting;
}

/** Returns the ids that the calls of a piece are sent with, if no later call may have them. */
export const sentCalls = ({ drafts }: RequestPiece, { callIds }: FormatRequirements): readonly string[] =>
  callIds.uniqueIn === "request" ? drafts.flatMap(callsOf) : [];

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
