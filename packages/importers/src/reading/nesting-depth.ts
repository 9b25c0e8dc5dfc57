const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Says whether a JSON text has more than `limit` brackets open at once, without parsing it. Parsing such a text takes
 * memory for every level, so hostile input is turned away here. Strings are skipped by search, so the cost is far
 * below that of parsing.
 */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      if (index === -1) return false;
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      if (++depth > limit) return true;
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth--;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}
