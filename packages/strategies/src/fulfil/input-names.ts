import { type JsonObject, type JsonValue, LARGE_INPUT_STRING, type ToolCallPart } from "@threadfold/core";
import { tellingNames } from "./telling-names.ts";

/** What the names of one call may take. */
const ROOM = Object.freeze({ names: 16, length: 320 });

/**
 * The paths and identifiers in the large strings of a call's input, most telling first (targets: 60 % of the cold needs
 * stand in the agent's own earlier arguments).
 */
export function inputNames({ input, invalidInput }: ToolCallPart): readonly string[] {
  return tellingNames(largeStrings(invalidInput ?? input), ROOM);
}

/** How many characters of a call's input stand in strings that give way when it is cleared. */
export function largeCharacters({ input, invalidInput }: ToolCallPart): number {
  return largeStrings(invalidInput ?? input).reduce((sum, text) => sum + text.length, 0);
}

function largeStrings(value: JsonValue): readonly string[] {
  if (typeof value === "string") return value.length >= LARGE_INPUT_STRING ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  const fields = Array.isArray(value) ? value : Object.values(value as JsonObject);
  return fields.flatMap((field) => (field === undefined ? [] : largeStrings(field)));
}
