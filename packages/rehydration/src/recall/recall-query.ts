import { type Message, recallTerms, visibleText } from "@threadfold/core";

/** How many messages at the end of a conversation say what is needed next. */
export const QUERY_MESSAGES = 6;
/** How much of a message is read, from its beginning and from its end, in UTF-16 code units. */
const READ_PER_END = 4_000;
/** How many words a query has at the most. */
const MAX_WORDS = 400;
const WORD = /[\p{L}\p{N}_$](?:[\p{L}\p{N}\p{M}_$]|[./:@#\\-]+(?=[\p{L}\p{N}_$]))*/gu;
const ESCAPED_SPACE = /\\[nrt]/g;
/** A name has a sign that plain words lack. */
const NAME = /[\p{L}\p{N}][_./:@#\\][\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}|_/u;

/**
 * A query for what an agent is about to need, from nothing but the last messages that it had: names and other words that
 * are rare among them come first, those of newer messages and of the agent's own text and calls before others. Pure: the
 * same messages give the same query. What of it is rare in the whole thread, the index knows (see `RecallRequest.text`).
 */
export function recallQuery(lastMessages: readonly Message[]): string {
  const worth = new Map<string, number>();
  lastMessages.slice(-QUERY_MESSAGES).forEach((message, index, all) => {
    const age = all.length - 1 - index;
    const said = message.role === "tool" ? 1 : 2;
    for (const [word, times] of wordsOf(message)) {
      const score = ((NAME.test(word) ? 3 : 1) * said * Math.log1p(word.length)) / ((1 + age / 4) * Math.sqrt(times));
      worth.set(word, Math.max(worth.get(word) ?? 0, score));
    }
  });
  // Sorting is stable, so words of equal worth stay in the order in which they were said.
  return [...worth]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_WORDS)
    .map(([word]) => word)
    .join(" ");
}

/** The words of a message that can be searched for, and how often each stands in it. */
function wordsOf(message: Message): ReadonlyMap<string, number> {
  const text = visibleText(message).replace(ESCAPED_SPACE, " ");
  const read = text.length <= 2 * READ_PER_END ? text : `${text.slice(0, READ_PER_END)} ${text.slice(-READ_PER_END)}`;
  const words = new Map<string, number>();
  for (const [word] of read.matchAll(WORD)) {
    if (word.length <= 200 && recallTerms(word).length > 0) words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
}
