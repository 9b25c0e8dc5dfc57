import type { Pin } from "@threadfold/core";
import { quotedPin } from "../../pins/quoted-pin.ts";

/**
 * What the provider's summarizer is told where there are pins. It takes the place of the provider's own prompt, so it
 * says all that is to be done. Undefined when there are none.
 */
export function pinInstructions(pins: readonly Pin[]): string | undefined {
  if (pins.length === 0) return undefined;
  return [
    "Summarize the conversation so that the work can go on from the summary alone: the task in the user's own words, what was done and found, decisions and why they were made, files and names that matter, errors and how they were solved, and what is still open. Say clearly what is done already.",
    "Repeat each of the following standing instructions word for word, one per line and in its quotes, under the heading Standing instructions:",
    ...pins.map((pin) => `- ${quotedPin(pin)}`),
    "Write the summary between <summary> and </summary>.",
  ].join("\n");
}
