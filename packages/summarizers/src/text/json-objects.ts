import { parseJson } from "@threadfold/core";

/** Parsing stops after this many objects that never close: hostile text must not take unbounded time. */
const MAX_OPEN_ENDS = 40;

/**
 * Returns the JSON objects in a text: the text itself, or outermost objects amid prose, code fences or thinking aloud.
 * Takes time linear in the text for each brace that never closes, up to a fixed number of those.
 */
export function jsonObjects(text: string): readonly object[] {
  const whole = parseObject(text);
  if (whole !== null) return [whole];
  const found: object[] = [];
  let openEnds = 0;
  for (let start = text.indexOf("{"); start >= 0 && openEnds < MAX_OPEN_ENDS; ) {
    const end = endOfObject(text, start);
    const value = end === null ? null : parseObject(text.slice(start, end));
    if (value === null) openEnds++;
    else found.push(value);
    start = text.indexOf("{", value === null ? start + 1 : (end as number));
  }
  return found;
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = parseJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The index after the closing brace of the object that begins at `start`; null when it is never closed. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index++) {
    const sign = text[index];
    if (inString) {
      if (sign === "\\") index++;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return index + 1;
  }
  return null;
}
