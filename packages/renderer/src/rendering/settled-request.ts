import {
  AppendOnlyList,
  type ChatMessage,
  type Part,
  type Pin,
  type TokenBreakdown,
  type ToolDefinition,
} from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import type { DraftRequest, RequestEnds } from "../conform/conformance.ts";
import { isComparedByFields } from "../conform/left-out-fields.ts";
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
   * Ids of calls, made or answered, as they are in the log and as they are sent. Values that grew from one another
   * share the set, so it may contain ids of later pieces; that can make a piece settle later, but never wrongly.
   */
  readonly callIds: Set<string>;
  /** Live pins that appear in it word for word. */
  readonly pins: ReadonlySet<Pin>;
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
  callIds: new Set(),
  pins: new Set(),
  usedTools: [],
  edited: {},
});

/** Appends another piece to the settled request. `logged` are the drafts from which the piece was made. */
export function settle(
  settled: SettledRequest,
  piece: RequestPiece,
  logged: readonly Draft[],
  input: RenderInput,
): SettledRequest {
  for (const draft of [...logged, ...piece.drafts]) for (const id of idsOf(draft)) settled.callIds.add(id);
  return {
    drafts: settled.drafts.append(piece.drafts),
    chats: settled.chats.append(piece.drafts.map(({ chat }) => chat)),
    messages: settled.messages.append(renderedMessages(piece, settled.messages.length)),
    shares: addShares(settled.shares, piece),
    warnings: WarningLog.join(settled.warnings, piece.warnings),
    callIds: settled.callIds,
    pins: withPins(settled.pins, piece, input.thread.livePins),
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
 * message after another speaker's message, its results are in place, and its ids are new. 0 when there is none.
 */
export function lastPieceStart(
  drafts: readonly Draft[],
  settledIds: ReadonlySet<string>,
  requirements: FormatRequirements,
): number {
  const start = drafts.findLastIndex((draft, index) => isPieceStart(draft, drafts, index));
  if (start <= 0) return 0;
  const before = new Set(drafts.slice(0, start).flatMap(idsOf));
  const piece = drafts.slice(start);
  const isFree = [settledIds, before].every((ids) => isApart(piece, ids, requirements)) && isInPlace(piece);
  return isFree ? start : 0;
}

/** System messages may be between what is said and its answer. */
function isPieceStart({ chat, message }: Draft, drafts: readonly Draft[], index: number): boolean {
  if (chat.role !== "assistant" || message === null) return false;
  let before = index - 1;
  while (drafts[before]?.chat.role === "system") before--;
  return before >= 0 && drafts[before]?.chat.role !== "assistant";
}

/**
 * Checks that drafts neither name a call with one of these ids nor contain anything that repairs compare across
 * messages: provider items, and some fields of a provider.
 */
export function isApart(drafts: readonly Draft[], ids: ReadonlySet<string>, requirements: FormatRequirements): boolean {
  const isOrdinary = (part: Part): boolean => part.type !== "opaque" && !isComparedByFields(part, requirements);
  return drafts.every((draft) => draft.chat.parts.every(isOrdinary) && idsOf(draft).every((id) => !ids.has(id)));
}

/** Returns the ids of the calls that a draft makes, or the one that it answers. */
function idsOf(draft: Draft): readonly string[] {
  const answered = answersOf(draft);
  return answered === undefined ? callsOf(draft) : [answered];
}

/** Checks that every result follows its call, in the order of the calls, and that no id is used twice. */
function isInPlace(drafts: readonly Draft[]): boolean {
  const seen = new Set<string>();
  for (let index = 0; index < drafts.length; index++) {
    const draft = drafts[index] as Draft;
    if (draft.chat.role === "tool") return false;
    for (const call of callsOf(draft)) {
      if (seen.has(call)) return false;
      seen.add(call);
      const next = drafts[index + 1];
      if (next !== undefined && answersOf(next) === call) index++;
    }
  }
  return true;
}

/** A run of messages that has been made legal and counted. */
export interface RequestPiece {
  readonly drafts: readonly Draft[];
  /** Tokens of each draft. */
  readonly tokens: readonly number[];
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
  return { drafts, tokens: drafts.map((draft) => countDraft(draft, input.ledger)), warnings, frame };
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
