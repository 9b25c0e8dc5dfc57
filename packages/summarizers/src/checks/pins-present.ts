import { renderSummary } from "@threadfold/core";
import type { SummaryCheck } from "./summary-check.ts";

/**
 * Refuses a summary that lacks the text of a pin. Threadfold's renderer shows pins beside summaries, so a fold does not
 * need it; it is for hosts that send a summary alone.
 */
export const pinsPresent: SummaryCheck = Object.freeze({
  name: "pin-missing",
  problem: ({ request: { pins }, summary }) => {
    const text = flat(renderSummary(summary));
    const missing = pins.filter((pin) => !text.includes(flat(pin.text)));
    return missing.length === 0 ? null : `${missing.length} of ${pins.length} pins are not in the summary`;
  },
} satisfies SummaryCheck);

/** Rendering indents what follows a line break, so texts are compared without regard to white space. */
const flat = (text: string): string => text.replace(/\s+/g, " ");
