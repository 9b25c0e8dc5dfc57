import type { Steps } from "@threadfold/core";
import type { IdentifierIndex } from "./identifier-index.ts";

/** A text that a span showed, and what it is the text of. */
export interface ShownText {
  readonly text: string;
  /** Place of its message in the span, from 0. */
  readonly position: number;
  /** The file, command or speaker that a reader would look for. */
  readonly where: string;
}

/** A line that names something, as it stood at its source. */
export interface NamedLine {
  readonly text: string;
  readonly where: string;
  readonly position: number;
  /** The wanted names that stand in it. */
  readonly names: readonly string[];
}

/** Longer lines are shown around what they name. In UTF-16 code units. */
const MAX_LINE = 120;
const BEFORE_NAME = 40;
/** A longer line is data. */
const LONGEST_READ = 20_000;
/** A search prints the path before each line; a listing prints the number. */
const FOUND_AT = /^((?:\.{0,2}\/)?[\w@~+-][\w./@~+-]*\.\w{1,8})[:-](\d+)[:-]\s?/;
const NUMBERED = /^\s*\d+(?:\t|→|│|\||:\s)\s*/;
/** A line that brings a name into being says most of it. */
const DEFINES =
  /\b(?:function|class|interface|type|const|let|var|def|fn|func|struct|enum|trait|impl|module|package|export)\b|^\s*[\w"'.-]+\s*[:=]/;

/**
 * For each wanted name the line to remember it by: in the newest text that shows it the first line that defines it, else
 * the first that has it. One line may stand for several names. Linear in the texts.
 *
 * @param texts in the order of the span.
 */
export function* namedLines(
  texts: readonly ShownText[],
  wanted: ReadonlySet<string>,
  index: IdentifierIndex,
): Steps<readonly NamedLine[]> {
  const open = new Set(wanted);
  const found: NamedLine[] = [];
  for (const shown of [...texts].reverse()) {
    if (open.size === 0) break;
    yield;
    const here = linesOf(shown, open, index);
    for (const { names } of here) for (const name of names) open.delete(name);
    found.push(...here);
  }
  return found;
}

function linesOf({ text, where, position }: ShownText, open: ReadonlySet<string>, index: IdentifierIndex): NamedLine[] {
  const best = new Map<string, { readonly line: string; readonly defines: boolean }>();
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + LONGEST_READ));
    start = end + 1;
    const names = index.namesIn(line).filter((name) => open.has(name));
    if (names.length === 0) continue;
    const defines = DEFINES.test(line.slice(0, 200));
    for (const name of names) {
      const known = best.get(name);
      if (known === undefined || (defines && !known.defines)) best.set(name, { line, defines });
    }
  }
  return byLine(best, where, position);
}

/** A line that stands for several names is shown once, unless it is too long to show them all. */
function byLine(best: ReadonlyMap<string, { readonly line: string }>, where: string, position: number): NamedLine[] {
  const lines = new Map<string, string[]>();
  for (const [name, { line }] of best) lines.set(line, [...(lines.get(line) ?? []), name]);
  return [...lines].flatMap(([line, names]) => shownLines(line, names, where, position));
}

function shownLines(line: string, names: readonly string[], where: string, position: number): readonly NamedLine[] {
  const source = FOUND_AT.exec(line);
  const rest = source === null ? line.replace(NUMBERED, "") : line.slice(source[0].length);
  const plain = rest.replace(/\s+/g, " ").trim();
  const place = source === null ? where : (source[1] as string);
  const left = new Set(names);
  const shown: NamedLine[] = [];
  for (const name of names) {
    if (!left.has(name)) continue;
    const text = around(plain, name);
    const inside = names.filter((other) => text.includes(other));
    for (const other of inside) left.delete(other);
    left.delete(name);
    // A line that is the name alone says nothing of it.
    if (text !== "" && text !== name && inside.length > 0) shown.push({ text, where: place, position, names: inside });
  }
  return shown;
}

/** A line, or of a long one what stands around a name, cut between words. */
function around(line: string, name: string): string {
  if (line.length <= MAX_LINE) return line;
  const at = line.indexOf(name);
  if (at < 0) return "";
  const room = Math.max(MAX_LINE, name.length + BEFORE_NAME);
  const start = at <= BEFORE_NAME ? 0 : line.lastIndexOf(" ", at - BEFORE_NAME / 2) + 1 || at;
  const from = at - start > BEFORE_NAME * 2 ? at : start;
  const cut = line.slice(from, from + room);
  const space = cut.lastIndexOf(" ");
  const whole = from + room >= line.length || space < at - from + name.length ? cut : cut.slice(0, space);
  return `${from > 0 ? "… " : ""}${whole.toWellFormed().replaceAll("\ufffd", "")}${from + whole.length < line.length ? " …" : ""}`;
}
