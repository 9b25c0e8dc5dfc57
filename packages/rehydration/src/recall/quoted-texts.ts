/** Quotes of this length are texts that somebody looks for, and neither single letters nor passages. In UTF-16 code units. */
const SHORTEST = 6;
const LONGEST = 200;
/** Opening signs and what closes them. The apostrophe within a word opens and closes nothing. */
const QUOTED =
  /(?<!\w)(["'`])(?=\S)([^"'`\n]{6,200})(?<=\S)\1(?!\w)|[“„«「『](?=\S)([^“”„«»「」『』\n]{6,200})[”“»」』]/gu;
const SEVERAL_WORDS = /[\p{L}\p{N}]\S*\s+\S*[\p{L}\p{N}]/u;

/** The quotes of several words in a text, word for word, each once, in order: messages, titles and phrases that no name stands for. */
export function quotedTexts(text: string): readonly string[] {
  const quotes = new Set<string>();
  for (const [, , plain, typographic] of text.matchAll(QUOTED)) {
    const quote = (plain ?? typographic ?? "").trim();
    if (quote.length >= SHORTEST && quote.length <= LONGEST && SEVERAL_WORDS.test(quote)) quotes.add(quote);
  }
  return [...quotes];
}
