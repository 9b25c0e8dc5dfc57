import { renderSummary, visibleText } from "@threadfold/core";
import type { SummaryCheck } from "./summary-check.ts";

/** Refuses a summary that takes no less room than the summary before it and the messages together (S32, inflated). */
export const smallerThanInput: SummaryCheck = Object.freeze({
  name: "inflated",
  problem: ({ request: { messages, previous, countTokens }, summary }) => {
    const before = previous === null ? 0 : countTokens(renderSummary(previous));
    const input = messages.reduce((sum, message) => sum + countTokens(visibleText(message)), before);
    const output = countTokens(renderSummary(summary));
    return output < input ? null : `the summary takes ${output} tokens, its input ${input}`;
  },
} satisfies SummaryCheck);
