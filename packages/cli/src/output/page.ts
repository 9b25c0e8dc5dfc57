import { styleText } from "node:util";
import type { CliOutput } from "./cli-io.ts";

/** Properties of the output that a report is printed on: its width, and how it styles text. */
export interface Page {
  /** At most 100, so that a report reads the same in a wide terminal and in a log. */
  readonly columns: number;
  readonly paint: Paint;
  /** True when control characters would reach a terminal. */
  readonly isTerminal: boolean;
}

const WIDEST = 100;
const NARROWEST = 40;

/**
 * Returns the page of an output; a terminal of unknown width reports 0. `colour` is false when the caller disabled
 * color.
 */
export function pageOf(output: CliOutput, env: Environment, colour: boolean): Page {
  const columns = Math.min(WIDEST, Math.max(NARROWEST, output.columns || WIDEST));
  return { columns, paint: painter(colour && isColourful(env, output.isTTY)), isTerminal: output.isTTY };
}

/** How a column is aligned. */
export type Alignment = "left" | "right";

/**
 * Formats rows as text, with columns two spaces apart and as wide as their widest cell; a left-aligned last column is
 * not padded. Cells must not contain color codes, which would count as width.
 */
export function table(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): readonly string[] {
  const widths = alignments.map((_, column) => widestCell(rows, column));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        if (alignments[column] === "right") return cell.padStart(widths[column] ?? 0);
        return column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
      })
      .join("  ")
      .trimEnd(),
  );
}

/** Returns the width of a column, in UTF-16 code units. */
export const widestCell = (rows: readonly (readonly string[])[], column: number): number =>
  // Not with the rows as arguments: a store can hold more threads than a call can have of them.
  rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0);

/** Breaks a text at its spaces into lines of at most `columns` columns. A longer word gets its own line. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}

/** Formats an integer with commas between thousands, independent of the machine's locale. */
export function figure(value: number): string {
  const digits = String(Math.round(Math.abs(value)));
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, ",");
  return value < 0 ? `-${grouped}` : grouped;
}

/** Formats a number and its noun: `1 message`, `2 messages`. */
export function count(value: number, noun: string, nouns = `${noun}s`): string {
  return `${figure(value)} ${value === 1 ? noun : nouns}`;
}

/** Formats a share as an integer percentage. With `Math.floor` it is never overstated. */
export function percent(part: number, whole: number, round: (value: number) => number = Math.round): string {
  return whole === 0 ? "0 %" : `${round((part / whole) * 100)} %`;
}

/** Styles that make text stand out. Every use also reads well without them. */
export type PaintStyle = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Styles a text, or returns it unchanged when color is off. */
type Paint = (style: PaintStyle, text: string) => string;

/** The environment variables that decide whether to use color. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Checks whether to use color: `FORCE_COLOR` decides first (`0` and `false` turn it off), then `NO_COLOR`, then
 * `TERM=dumb`, then whether the output is a terminal.
 */
export function isColourful(env: Environment, isTTY: boolean): boolean {
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  if ((env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return false;
  return isTTY;
}

/** Returns a function that styles texts, or one that leaves them unchanged. */
export function painter(colourful: boolean): Paint {
  // isColourful has already decided, so styleText must not check the stream.
  return colourful ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}

/**
 * C0 and C1 controls except tab and line feed, characters that change the text direction or end a line, and invisible
 * annotation and tag characters.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Returns text of a log that is safe for a terminal: control characters, which could move the cursor or hide text, are
 * spelled out.
 */
export function plainText(text: string): string {
  return text.replace(UNSAFE, (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`);
}

/**
 * Returns JSON that is safe for a terminal: the same characters are escaped as in JSON, so that its meaning is
 * unchanged.
 */
export function plainJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Returns the beginning of a text as one line of at most `most` characters, with an ellipsis when it was cut. */
export function singleLine(text: string, most: number): string {
  // A log may contain megabytes in one text; only what can be shown is processed.
  const line = plainText(
    text
      .slice(0, most * 4)
      .toWellFormed()
      .replace(/\s+/g, " ")
      .trim(),
  );
  if (line.length <= most && text.length <= most * 4) return line;
  return `${line.slice(0, Math.max(0, most - 1)).trimEnd()}…`;
}

/** Quotes a word so that a POSIX shell reads it back unchanged. */
export function shellWord(text: string): string {
  const word = plainText(text);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
