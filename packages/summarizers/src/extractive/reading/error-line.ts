const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;
/** A line that names an error, strongest forms first. Anchored or literal, so that each line is read once. */
const STRONG =
  /^(?:E\s{2,}\S|[A-Za-z_.]{0,60}(?:Error|Exception|Panic)\b\s*[:(]|error(?:\[\w+\]|:| TS\d)|fatal:|panic:|FAILED\b|FAIL\b|\S{1,120}:\d+(?::\d+)?:? (?:fatal )?error\b)/;
const WEAK =
  /\b(?:error|failed|failure|exception|cannot|not found|no such file|denied|undefined|assert(?:ion)?|unrecognized|invalid|missing|conflict|timed? ?out|refused|traceback)\b/i;
const NO_ERROR = /\b(?:0|no) (?:errors?|failures?|failed)\b|error(?:s|_count)?[=:] ?0\b/i;
const HEAD = 1_000;
const TAIL = 2_000;
const MAX_LINE = 220;

/** The line of a tool result that says what went wrong: the last strong one, else the first weak one; null when none does. */
export function errorLine(text: string, strongOnly: boolean): string | null {
  const ends = text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;
  let strong: string | null = null;
  let weak: string | null = null;
  for (const raw of ends.split("\n")) {
    if (raw.length > 2_000) continue;
    const line = raw
      .replace(ANSI, "")
      .replace(/^\[(?:error|stderr)\]\s*/i, "")
      .trim();
    if (line.length < 6 || NO_ERROR.test(line)) continue;
    if (STRONG.test(line)) strong = line;
    else if (!strongOnly && weak === null && WEAK.test(line)) weak = line;
  }
  const found = strong ?? weak;
  return found === null ? null : found.replace(/\s+/g, " ").slice(0, MAX_LINE).toWellFormed();
}
