import { AppendOnlyList, type ChatMessage, type Pin, type TokenBreakdown, type ToolDefinition } from "@threadfold/core";
import { declaredTools } from "../conform/declare-tools.ts";
import { renderedMessage } from "../manifest/build-manifest.ts";
import type { RenderedMessage } from "../manifest/render-manifest.ts";
import type { Draft } from "../neutral/draft.ts";
import { missingPins } from "../pins/missing-pins.ts";
import { WarningLog } from "../warnings/warning-log.ts";
import type { RequestPiece } from "./request-piece.ts";
import { idsOf } from "./standing-apart.ts";

/** The beginning of a request that a longer log no longer changes. An immutable value that grows by whole pieces. */
export interface SettledRequest {
  readonly drafts: AppendOnlyList<Draft>;
  readonly chats: AppendOnlyList<ChatMessage>;
  readonly messages: AppendOnlyList<RenderedMessage>;
  /** Tokens of the messages by share; the frame is not in it. */
  readonly shares: Readonly<Partial<TokenBreakdown>>;
  readonly warnings: WarningLog;
  /**
   * Ids of calls, made or answered, as they are in the log and as they are sent. Values that grew from one another share the set, so it may
   * hold ids of later pieces, which makes a piece settle later and never wrongly.
   */
  readonly callIds: Set<string>;
  /** Live pins that stand in it word for word. */
  readonly pins: ReadonlySet<Pin>;
  /** The tools that its messages use, for a format that wants them declared. */
  readonly usedTools: readonly ToolDefinition[];
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
});

/** The settled request with another piece behind it. `logged` are the drafts that the piece was made from. */
export function settle(
  settled: SettledRequest,
  piece: RequestPiece,
  logged: readonly Draft[],
  livePins: readonly Pin[],
): SettledRequest {
  for (const draft of [...logged, ...piece.drafts]) for (const id of idsOf(draft)) settled.callIds.add(id);
  return {
    drafts: settled.drafts.append(piece.drafts),
    chats: settled.chats.append(piece.drafts.map(({ chat }) => chat)),
    messages: settled.messages.append(renderedMessages(piece, settled.messages.length)),
    shares: addShares(settled.shares, piece),
    warnings: WarningLog.join(settled.warnings, piece.warnings),
    callIds: settled.callIds,
    pins: withPins(settled.pins, piece, livePins),
    usedTools: declaredTools(settled.usedTools, piece.drafts),
  };
}

/** The messages of a piece as the manifest lists them, from an index on. */
export const renderedMessages = ({ drafts, tokens }: RequestPiece, from: number): readonly RenderedMessage[] =>
  drafts.map((draft, index) => renderedMessage(draft, from + index, tokens[index] as number));

/** Shares with the tokens of a piece added. */
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

function withPins(found: ReadonlySet<Pin>, { drafts }: RequestPiece, livePins: readonly Pin[]): ReadonlySet<Pin> {
  const sought = livePins.filter((pin) => !found.has(pin));
  if (sought.length === 0) return found;
  const missing = new Set(missingPins(sought, [], drafts));
  return missing.size === sought.length ? found : new Set([...found, ...sought.filter((pin) => !missing.has(pin))]);
}
