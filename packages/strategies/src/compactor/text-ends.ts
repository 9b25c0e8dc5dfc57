import type { BodyPreview } from "@threadfold/core";

/** What the beginning of a text gets of the room for both ends: it says what the text is. */
const HEAD_SHARE = 2 / 3;
/** An end gives up at most this share of itself so that it stops where a line does. */
const LINE_SHARE = 0.15;
/** Fewer tokens of a text say nothing. */
const LEAST_TOKENS = 40;

/** No text of more characters a token is looked at as a whole. */
const MOST_CHARACTERS = 16;

/** Tokens of a text. */
export type CountTokens = (text: string) => number;

/**
 * The two ends of a text that go into so many tokens, cut where lines end if there is such a place near, never inside a
 * character. Null when so little room is left that it is not worth it. Looks only at about what it keeps. A body of which
 * pictures take the room has all of its text as its beginning.
 *
 * @param textTokens tokens of the whole body, more than the room.
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

/** Tokens of a text; infinite as soon as a beginning of it has more than the room, so that little more is ever counted. */
function countUpTo(text: string, tokens: number, countTokens: CountTokens): number {
  if (text.length > tokens * MOST_CHARACTERS) return Number.POSITIVE_INFINITY;
  for (let length = Math.ceil(tokens * FIRST_GUESS); length < text.length; length *= 2)
    if (countTokens(text.slice(0, length)) > tokens) return Number.POSITIVE_INFINITY;
  return countTokens(text);
}

/** How often a length is tried: densities differ within a text, so each try is measured. */
const MAX_TRIES = 6;
const FIRST_GUESS = 3;
/** A try that uses so much of the room is good. */
const GOOD_USE = 0.95;
/** A text that begins with next to no tokens may go on with many. */
const MAX_GROWTH = 8;

/** The length of an end that takes at most so many tokens and nearly that many, in UTF-16 code units. */
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

/** Where a head of at most so many characters ends. */
function headCut(text: string, characters: number): number {
  const border = text.lastIndexOf("\n", characters);
  if (border > 0 && border >= characters * (1 - LINE_SHARE)) return border;
  return splitsCharacter(text, characters) ? characters - 1 : characters;
}

/** Where a tail that begins at this character or behind it begins. */
function tailCut(text: string, from: number): number {
  if (from === text.length || text[from - 1] === "\n") return from;
  const near = from + Math.floor((text.length - from) * LINE_SHARE);
  const border = text.slice(from, near).indexOf("\n");
  if (border >= 0) return from + border + 1;
  return splitsCharacter(text, from) ? from + 1 : from;
}

/** True between the halves of a surrogate pair. */
function splitsCharacter(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const behind = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}
