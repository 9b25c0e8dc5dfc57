import { renderSummary, visibleText } from "@threadfold/core";
import type { SummaryCheck } from "./summary-check.ts";

/** Refuses a summary that takes no less room than the summary before it and the messages together (S32, inflated). */
export const smallerThanInput: SummaryCheck = Object.freeze({
  name: "inflated",
  problem: ({ request: { messages, previous, countTokens }, summary }) => {
    const output = countTokens(renderSummary(summary));
    let input = previous === null ? 0 : countTokens(renderSummary(previous));
    for (const message of messages) {
      if (output < input) return null;
      const text = visibleText(message);
      const beginning = text.slice(0, (output - input + 1) * MOST_CHARACTERS);
      const tokens = countTokens(beginning);
      // Counted to its end only when its beginning is not enough: a span is much longer than its summary.
      input += output < input + tokens || beginning.length === text.length ? tokens : countTokens(text);
    }
    return output < input ? null : `the summary takes ${output} tokens, its input ${input}`;
  },
} satisfies SummaryCheck);

/** Hardly any text has more characters a token. */
const MOST_CHARACTERS = 16;
