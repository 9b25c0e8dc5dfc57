import { roomTokens } from "@threadfold/core";
import type { StrategyContext } from "../ladder/compaction-strategy.ts";
import { realMessages } from "./cut-point.ts";

/**
 * How many tokens a window of so many tokens keeps: never more than half of the room, because what it folds needs room
 * too. The seeds' figures are for windows of 100 000 tokens and more, where nothing changes.
 */
export function tokenWindow(tokens: number, { config }: StrategyContext): number {
  return Math.min(tokens, Math.floor(roomTokens(config) / 2));
}

/** The first message of the longest suffix of at most so many tokens; 0 when everything fits, the end when nothing does. */
export function suffixStart(context: StrategyContext, tokens: number): number {
  let used = 0;
  let from = context.shape.length;
  for (const header of realMessages(context).toReversed()) {
    used += context.renderedTokens(header);
    if (used > tokens) return from;
    from = header.ordinal;
  }
  return 0;
}

/** True when the turn in which a cut falls takes more than so many tokens, so that no cut at a turn start would keep them. */
export function oversizedTurn(context: StrategyContext, cut: number, tokens: number): boolean {
  const { shape, renderedTokens } = context;
  if (cut >= shape.length || shape.header(cut).startsTurn) return false;
  const { turn } = shape.header(cut);
  const ofTurn = realMessages(context).filter((header) => header.turn === turn);
  return ofTurn.reduce((sum, header) => sum + renderedTokens(header), 0) > tokens;
}
