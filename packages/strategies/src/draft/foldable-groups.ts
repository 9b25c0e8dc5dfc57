import { lastOrdinal, type MessageGroup, type ThreadShape } from "@threadfold/core";

/** What a fold leaves alone. */
export interface Protection {
  /** Tokens at the end of the thread that are folded last. */
  readonly recentTokens: number;
  /** At most this many turns count as recent. */
  readonly recentTurns: number;
  /** True to keep the newest group even when it is larger than `recentTokens` (S8). */
  readonly newestGroup: boolean;
  /** Messages that stay in the prompt, and so the groups that they are in. */
  readonly spared?: readonly number[];
}

/** The ordinal of the newest message that a user typed on the main branch; of any user message when nobody typed one; else -1. */
export function newestUserOrdinal(shape: ThreadShape): number {
  let anyUser = -1;
  for (let ordinal = shape.length - 1; ordinal >= 0; ordinal = shape.before(ordinal)) {
    const header = shape.header(ordinal);
    if (header.startsTurn) return ordinal;
    if (anyUser < 0 && header.role === "user" && header.branch === undefined) anyUser = ordinal;
  }
  return anyUser;
}

/**
 * The groups that may be folded, oldest first: on the main branch, older than what counts as recent, without system
 * messages, and without the newest user message, which is what the model is to answer.
 */
export function foldableGroups(shape: ThreadShape, protection: Protection): readonly MessageGroup[] {
  const recentFrom = recentStart(shape, protection);
  const spared = new Set([newestUserOrdinal(shape), ...(protection.spared ?? [])]);
  return shape.groups.filter((group) => {
    const header = shape.header(group.ordinals[0] as number);
    if (header.branch !== undefined || header.role === "system") return false;
    return !group.ordinals.some((ordinal) => spared.has(ordinal)) && lastOrdinal(group) < recentFrom;
  });
}

/**
 * The groups whose bodies may give way to the spared messages: those that may be folded when nothing is recent, without
 * those messages. A call thus makes room for its result, which the model has not read yet.
 */
export function groupsBeside(spared: readonly number[], shape: ThreadShape): readonly MessageGroup[] {
  return foldableGroups(shape, { recentTokens: 0, recentTurns: 0, newestGroup: false })
    .map((group) => ({ ...group, ordinals: group.ordinals.filter((ordinal) => !spared.includes(ordinal)) }))
    .filter((group) => group.ordinals.length > 0);
}

/** The ordinal of the newest message on the main branch; -1 when there is none. */
export function newestOrdinal(shape: ThreadShape): number {
  let ordinal = shape.length - 1;
  while (ordinal >= 0 && shape.header(ordinal).branch !== undefined) ordinal--;
  return ordinal;
}

/** The first ordinal that counts as recent. Whole groups only: a call never loses its result to the other side. */
function recentStart(shape: ThreadShape, protection: Protection): number {
  const lastTurn = shape.length === 0 ? 0 : shape.header(shape.length - 1).turn;
  let from = shape.length;
  let tokens = 0;
  let first = true;
  for (let index = shape.groups.length - 1; index >= 0; index--) {
    const group = shape.groups[index] as MessageGroup;
    const header = shape.header(group.ordinals[0] as number);
    if (header.branch !== undefined) continue;
    const fits = tokens + group.tokens <= protection.recentTokens && lastTurn - header.turn < protection.recentTurns;
    if (!fits && !(first && protection.newestGroup)) break;
    first = false;
    tokens += group.tokens;
    from = Math.min(from, group.ordinals[0] as number);
  }
  return from;
}
