import { canonicalJson, type JsonObject } from "@threadfold/core";

/** Key fields as one line, or no line when there are none (seed 002, `to_cleared_placeholder`). */
export function keyDataLines(fields: JsonObject | undefined): readonly string[] {
  return fields === undefined || Object.keys(fields).length === 0 ? [] : [`Key data: ${canonicalJson(fields)}`];
}
