/** After so many beginnings without an end no further one is tried: hostile text must not cost time without bound. */
const MAX_OPEN_ENDS = 40;

/**
 * The JSON objects in a text, outermost first: the text itself, or objects amid prose, fences or thinking aloud. Linear
 * in the text, up to a fixed number of braces that never close.
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
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Where the object that begins at `start` ends: behind its closing brace; null when it has none. */
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
