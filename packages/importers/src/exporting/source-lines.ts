import { type ForeignObject, objectOf } from "../reading/foreign-value.ts";
import { parseJson } from "../reading/parse-json.ts";

/** A line of a log. */
export interface SourceLine {
  /** From 1. */
  readonly line: number;
  readonly raw: string;
  /** Undefined for a line that is blank or no JSON object. */
  readonly fields: ForeignObject | undefined;
}

/** The lines of a log, blank and broken ones included, so that it can be written again as it was. */
export function sourceLines(text: string): readonly SourceLine[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((raw, index) => {
    const parsed = parseJson(raw);
    return { line: index + 1, raw, fields: parsed.ok ? objectOf(parsed.value) : undefined };
  });
}
