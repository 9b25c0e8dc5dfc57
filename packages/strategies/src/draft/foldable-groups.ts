import { finishSteps, lastOrdinal, type MessageGroup, type Steps, type ThreadShape } from "@threadfold/core";
import { AT_A_TIME } from "../strategy/compaction-strategy.ts";

/** What a fold leaves alone. */
export interface Protection {
  /** Tokens at the end of the thread that are folded last. */
  readonly recentTokens: number;
  /** The most turns that count as recent. */
  readonly recentTurns: number;
  /** True to keep the newest group even when it is larger than `recentTokens` (S8). */
  readonly newestGroup: boolean;
  /** Ordinals of messages that stay in the prompt; the groups that contain them stay whole. */
  readonly spared?: readonly number[];
}

/**
 * Returns the ordinal of the newest message on the main branch that a user typed; if nobody typed one, that of the
 * newest user message, else -1.
 */
export const newestUserOrdinal = (shape: ThreadShape): number => finishSteps(newestUserInSteps(shape));

function* newestUserInSteps(shape: ThreadShape): Steps<number> {
  let [anyUser, seen] = [-1, 0];
  for (let ordinal = shape.length - 1; ordinal >= 0; ordinal = shape.before(ordinal)) {
    if (++seen % AT_A_TIME === 0) yield;
    const header = shape.header(ordinal);
    if (header.startsTurn) return ordinal;
    if (anyUser < 0 && header.role === "user" && header.branch === undefined) anyUser = ordinal;
  }
  return anyUser;
}

/**
 * Returns the groups that may be folded, oldest first: those on the main branch that are older than what counts as
 * recent. System messages are left out, and so is the newest user message, which is what the model has to answer.
 */
export const foldableGroups = (shape: ThreadShape, protection: Protection): readonly MessageGroup[] =>
  finishSteps(foldableInSteps(shape, protection));

/** Does the same as {@link foldableGroups}, in steps. */
export function* foldableInSteps(shape: ThreadShape, protection: Protection): Steps<readonly MessageGroup[]> {
  const recentFrom = recentStart(shape, protection);
  const spared = new Set([yield* newestUserInSteps(shape), ...(protection.spared ?? [])]);
  const foldable: MessageGroup[] = [];
  for (const [index, group] of shape.groups.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    const header = shape.header(group.ordinals[0] as number);
    if (header.branch !== undefined || header.role === "system") continue;
    if (group.ordinals.some((ordinal) => spared.has(ordinal)) || lastOrdinal(group) >= recentFrom) continue;
    foldable.push(group);
  }
  return foldable;
}

/**
 * Returns the groups whose bodies may be folded to make room for the spared messages: those that may be folded when
 * nothing counts as recent, minus the spared messages. A call can thus make room for its result, which the model has
 * not read yet.
 */
export const groupsBeside = (spared: readonly number[], shape: ThreadShape): readonly MessageGroup[] =>
  finishSteps(groupsBesideInSteps(spared, shape));

/** Does the same as {@link groupsBeside}, in steps. */
export function* groupsBesideInSteps(spared: readonly number[], shape: ThreadShape): Steps<readonly MessageGroup[]> {
  const all = yield* foldableInSteps(shape, { recentTokens: 0, recentTurns: 0, newestGroup: false });
  const isSpared = new Set(spared);
  const beside: MessageGroup[] = [];
  for (const [index, group] of all.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    const ordinals = group.ordinals.filter((ordinal) => !isSpared.has(ordinal));
    if (ordinals.length === group.ordinals.length) beside.push(group);
    else if (ordinals.length > 0) beside.push({ ...group, ordinals });
  }
  return beside;
}

/** Returns the ordinal of the newest message on the main branch, or -1 when there is none. */
export function newestOrdinal(shape: ThreadShape): number {
  let ordinal = shape.length - 1;
  while (ordinal >= 0 && shape.header(ordinal).branch !== undefined) ordinal--;
  return ordinal;
}

/** The first ordinal that counts as recent. Whole groups only, so that a call and its result are never separated. */
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
