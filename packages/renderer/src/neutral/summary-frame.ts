import { renderSummary, type StructuredSummary } from "@threadfold/core";
import { escapeLookAlikes } from "./escape-look-alikes.ts";

/** Ends every frame that tells of the past (L28). */
export const END_OF_HISTORY = "[End of history; do not redo it]";

/** A summary's text for use inside a frame: its own first line, and below it nothing that looks like a frame of ours. */
export function framedSummary(summary: StructuredSummary): string {
  const text = renderSummary(summary);
  const body = text.indexOf("\n");
  return body < 0 ? text : text.slice(0, body) + escapeLookAlikes(text.slice(body));
}
