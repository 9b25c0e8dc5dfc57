import {
  type AgentThread,
  type BodyPreview,
  type ClearRecord,
  groupRecords,
  type Message,
  type MessageId,
  type PlanRecord,
  type PlanRecords,
  planRecords,
  type ThreadShape,
  type TokenBudget,
  toolResultText,
} from "@threadfold/core";

/** An unread result that has its own record in the plan. */
export interface UnreadBody {
  readonly id: MessageId;
  readonly text: string;
  readonly tokens: number;
}

/** What a plan shows of unread results. */
export interface ShownUnread {
  readonly records: PlanRecords;
  /** Tokens of the request without the shown ends of results that do not fit whole. */
  readonly restTokens: number;
  /** False if so little of them is shown that another plan is worth trying. */
  readonly enough: boolean;
}

/** Returns the unread results that records replace. */
export function unreadBodies(
  ordinals: readonly number[],
  records: PlanRecords,
  thread: AgentThread,
  shape: ThreadShape,
): readonly UnreadBody[] {
  const held = new Set(planRecords(records).flatMap((record) => resultOf(record) ?? []));
  return ordinals.flatMap((ordinal) => {
    const { id, parts } = thread.messageAt(ordinal) as Message;
    const [part] = parts;
    if (!held.has(id) || part?.type !== "tool-result") return [];
    const { shares } = shape.header(ordinal);
    return [{ id, text: toolResultText(part.result.content), tokens: shares.toolResult }];
  });
}

/** Returns the result whose body a record empties without removing the message; undefined for other records. */
function resultOf(record: PlanRecord): MessageId | undefined {
  const isOwn =
    (record.action === "externalize" && record.form === "body") ||
    (record.action === "clear" && record.targets.includes("tool-result"));
  return isOwn && record.span.messageIds.length === 1 ? record.span.messageIds[0] : undefined;
}

/** Least tokens to show of each unread result, unless that takes more than a quarter of the budget. */
const LEAST_SHOWN = 300;
/** Maximum number of times the ends are refitted: text counts differently alone than in a request. */
const MAX_FITS = 5;
/** Share of the free tokens that may remain unused. */
const SLACK = 0.04;

/**
 * Shows as much of the unread results as fits in the space that the other records leave, up to the soft threshold. The
 * request is measured at each try, so that it fits whatever rendering adds.
 */
export async function showUnread(
  records: PlanRecords,
  bodies: readonly UnreadBody[],
  { limitTokens, softLimit }: TokenBudget,
  countTokens: CountTokens,
  measure: (records: PlanRecords) => Promise<number>,
): Promise<ShownUnread> {
  if (bodies.length === 0) return { records, restTokens: await measure(records), enough: true };
  const restTokens = await measure(records);
  const least = Math.min(LEAST_SHOWN * bodies.length, Math.floor(softLimit / 4));
  const limit = restTokens + least <= softLimit ? softLimit : limitTokens;
  const room = limit - restTokens;
  // A larger share makes no difference: all of them would still be shown whole.
  const wholeTokens = bodies.reduce((sum, { tokens }) => sum + tokens, 0);
  let best = records;
  let reached = restTokens;
  let share = room;
  for (let fits = 0; fits < MAX_FITS && share > 0; fits++) {
    const shown = shareRoom(records, bodies, share, countTokens);
    const taken = await measure(shown.records);
    if (taken <= limit && taken > reached) {
      best = shown.records;
      reached = taken;
    }
    if (taken <= limit && (shown.whole || taken >= limit - SLACK * room)) break;
    share =
      taken <= limit
        ? share + limit - taken
        : Math.min(share, wholeTokens) + limit - taken - Math.ceil((SLACK * room) / 4);
  }
  return { records: best, restTokens, enough: room >= least };
}

interface SharedRoom {
  readonly records: PlanRecords;
  readonly whole: boolean;
}
/**
 * Divides this many tokens among unread bodies: those that fit their share stay whole, the others show their ends. If
 * shares would be too small to be useful, only as many of the first bodies get one as there are tokens for.
 */
function shareRoom(
  records: PlanRecords,
  bodies: readonly UnreadBody[],
  tokens: number,
  countTokens: CountTokens,
): SharedRoom {
  const sharing =
    bodies.length * LEAST_TOKENS <= tokens ? bodies : bodies.slice(0, Math.floor(tokens / FEW_SHARE) || 1);
  const share = equalShare(
    sharing.map((body) => body.tokens),
    tokens,
  );
  const bodyOf = new Map(sharing.map((body) => [body.id, body]));
  const shown = planRecords(records).flatMap((record): readonly PlanRecord[] => {
    const id = resultOf(record);
    const body = id === undefined ? undefined : bodyOf.get(id);
    if (body === undefined) return [record];
    return body.tokens <= share ? [] : [withPreview(record, textEnds(body.text, body.tokens, share, countTokens))];
  });
  return { records: groupRecords(shown), whole: sharing === bodies && bodies.every((body) => body.tokens <= share) };
}

/** Returns the maximum size for each, so that together they fit and what the small ones leave goes to the others. */
function equalShare(sizes: readonly number[], room: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function withPreview(record: PlanRecord, preview: BodyPreview | null): PlanRecord {
  if (preview === null) return record;
  if (record.action === "externalize") return { ...record, preview };
  return { ...(record as ClearRecord), keep: preview };
}

/** Share of both ends' tokens for the beginning of a text, which tells what the text is. */
const HEAD_SHARE = 2 / 3;
/** An end is shortened by at most this share to end at a line break. */
const LINE_SHARE = 0.15;
/** Fewer tokens of a text than this are useless. */
const LEAST_TOKENS = 40;
/** Tokens for each body when there are not enough tokens for all. */
const FEW_SHARE = 120;

/** A text with more characters than this per available token is not counted as a whole. */
const MOST_CHARACTERS = 16;

/** Returns the tokens of a text. */
type CountTokens = (text: string) => number;

/**
 * Returns the two ends of a text that fit into this many tokens, cut at line breaks if one is near, and never inside a
 * character. Null when there are too few tokens to be useful. Only reads about as much text as it keeps. If a body is
 * large because of images, all of its text is its beginning.
 *
 * @param textTokens tokens of the whole body, which exceed the available ones.
 */
export function textEnds(
  text: string,
  textTokens: number,
  tokens: number,
  countTokens: CountTokens,
): BodyPreview | null {
  if (tokens < LEAST_TOKENS) return null;
  const all = countUpTo(text, tokens, countTokens);
  if (all <= tokens)
    return { headCharacters: text.length, tailCharacters: 0, leftOutTokens: Math.max(1, textTokens - all) };
  const head = headCut(
    text,
    charactersFor(tokens * HEAD_SHARE, text.length, (length) => text.slice(0, length), countTokens),
  );
  const shown = countTokens(text.slice(0, head));
  const behind = text.length - head;
  const tail = charactersFor(tokens - shown, behind, (length) => text.slice(text.length - length), countTokens);
  const from = tailCut(text, text.length - tail);
  const leftOutTokens = Math.max(1, textTokens - shown - countTokens(text.slice(from)));
  return { headCharacters: head, tailCharacters: text.length - from, leftOutTokens };
}

/**
 * Returns the tokens of a text, or infinity as soon as its beginning exceeds the limit, so that little more is counted.
 */
function countUpTo(text: string, tokens: number, countTokens: CountTokens): number {
  if (text.length > tokens * MOST_CHARACTERS) return Number.POSITIVE_INFINITY;
  for (let length = Math.ceil(tokens * FIRST_GUESS); length < text.length; length *= 2)
    if (countTokens(text.slice(0, length)) > tokens) return Number.POSITIVE_INFINITY;
  return countTokens(text);
}

/** Maximum number of lengths that are tried: token density varies within a text, so each try is measured. */
const MAX_TRIES = 6;
const FIRST_GUESS = 3;
/** A try that uses this share of the available tokens is good enough. */
const GOOD_USE = 0.95;
/** Maximum growth from try to try: a text that starts with very few tokens may continue with many. */
const MAX_GROWTH = 8;

/** Returns the length of an end that takes nearly, but at most, this many tokens, in UTF-16 code units. */
function charactersFor(
  tokens: number,
  most: number,
  endOf: (characters: number) => string,
  countTokens: CountTokens,
): number {
  let best = 0;
  let guess = Math.min(most, Math.ceil(tokens * FIRST_GUESS));
  for (let tries = 0; tries < MAX_TRIES && guess > best; tries++) {
    const counted = Math.max(1, countTokens(endOf(guess)));
    if (counted <= tokens) {
      best = guess;
      if (guess === most || counted >= tokens * GOOD_USE) break;
    }
    const next = Math.floor(guess * Math.min(MAX_GROWTH, ((1 + GOOD_USE) / 2) * (tokens / counted)));
    guess = Math.min(most, next);
  }
  return best;
}

/** Returns where a head of at most this many characters ends. */
function headCut(text: string, characters: number): number {
  const border = text.lastIndexOf("\n", characters);
  if (border > 0 && border >= characters * (1 - LINE_SHARE)) return border;
  return splitsCharacter(text, characters) ? characters - 1 : characters;
}

/** Returns where a tail starts, at this character or after it. */
function tailCut(text: string, from: number): number {
  if (from === text.length || text[from - 1] === "\n") return from;
  const near = from + Math.floor((text.length - from) * LINE_SHARE);
  const border = text.slice(from, near).indexOf("\n");
  if (border >= 0) return from + border + 1;
  return splitsCharacter(text, from) ? from + 1 : from;
}

/** Checks whether a position is between the halves of a surrogate pair. */
function splitsCharacter(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const behind = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}
