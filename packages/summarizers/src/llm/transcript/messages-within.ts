import { cutMiddle } from "./cut-middle.ts";
import type { TranscriptMessage } from "./transcript.ts";

/** A message is not shortened below this before older ones are left out, in tokens. */
const LEAST_SHOWN = 40;

/**
 * Messages of at most so many tokens together. The longest are shortened first, all to the same length; where even short
 * ones are too much, the oldest are left out.
 */
export function messagesWithin(
  messages: readonly TranscriptMessage[],
  maxTokens: number,
  countTokens: (text: string) => number,
): readonly TranscriptMessage[] {
  const sizes = messages.map(({ text }) => countTokens(text));
  const most = Math.max(LEAST_SHOWN, lengthThatFits(sizes, maxTokens));
  const shown = messages.map((entry, index) =>
    (sizes[index] as number) <= most ? entry : { ...entry, text: cutMiddle(entry.text, most, countTokens) },
  );
  let from = shown.length;
  for (let left = maxTokens; from > 0; from--) {
    left -= countTokens((shown[from - 1] as TranscriptMessage).text);
    if (left < 0) break;
  }
  return shown.slice(from);
}

/** The greatest length at which all messages together take no more than `maxTokens`. */
function lengthThatFits(sizes: readonly number[], maxTokens: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = maxTokens;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return ascending.at(-1) ?? 0;
}
