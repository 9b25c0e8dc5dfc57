import { type Encoding, Tokenizer } from "ai-tokenizer";

/** Counts the tokens of a text. Anything in it that looks like a special token counts as ordinary text. */
export type TokenCount = (text: string) => number;

/** Returns a counter for an encoding of `ai-tokenizer`. */
export function tokenCountOf(ranks: Encoding): TokenCount {
  // The library looks words up in a plain object; without this, "constructor" would be found there as a token.
  Object.setPrototypeOf(ranks.stringEncoder, null);
  const encoder = new Tokenizer(ranks);
  // "all" allows special tokens, which makes the library read them as plain text instead of refusing them.
  return (text) => encoder.encode(text, "all").length;
}
