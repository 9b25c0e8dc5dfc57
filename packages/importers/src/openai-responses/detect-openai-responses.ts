import { objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { findItems, isItem } from "./response-items.ts";

/** How sure it is that the source holds items of the OpenAI Responses API: a response says so itself. */
export function detectOpenaiResponses(source: SourceRecords): number {
  const found = findItems(source);
  if (found === undefined) return 0;
  if (source.records.length === 1 && found.frame.object === "response") return 1;
  // Most items are of this API: a log of another tool may hold some among its own records.
  const share = found.items.filter(({ value }) => isItem(value) || textOf(objectOf(value)?.role)).length;
  return share >= found.items.length * 0.8 ? 0.95 : 0;
}
