import { styleText } from "node:util";
import type { CliOutput } from "./cli-io.ts";

/** Where a report is printed: how wide it is, and how it marks things. */
export interface Page {
  /** Never more than 100, so that a report reads the same in a wide terminal and in a log. */
  readonly columns: number;
  readonly paint: Paint;
  /** True when control characters would reach a terminal. */
  readonly isTerminal: boolean;
}

const WIDEST = 100;
const NARROWEST = 40;

/** The page of an output; a terminal that does not know its width says 0. `colour` is false when the caller switched colours off. */
export function pageOf(output: CliOutput, env: Environment, colour: boolean): Page {
  const columns = Math.min(WIDEST, Math.max(NARROWEST, output.columns || WIDEST));
  return { columns, paint: painter(colour && isColourful(env, output.isTTY)), isTerminal: output.isTTY };
}

/** How a column is aligned. */
export type Alignment = "left" | "right";

/**
 * Rows as text, columns two spaces apart, each as wide as its widest cell; the last one is not padded. Cells must be
 * free of colours, which would count as width.
 */
export function table(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): readonly string[] {
  const widths = alignments.map((_, column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
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

/**
 * Breaks a text at its spaces into lines of at most `columns` columns. A word that is wider stands alone on its line.
 */
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

/** A whole number with commas between the thousands, whatever the machine's locale is. */
export function figure(value: number): string {
  const digits = String(Math.round(Math.abs(value)));
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, ",");
  return value < 0 ? `-${grouped}` : grouped;
}

/** A number and what it counts: `1 message`, `2 messages`. */
export function count(value: number, noun: string, nouns = `${noun}s`): string {
  return `${figure(value)} ${value === 1 ? noun : nouns}`;
}

/** A share as whole percent. With `Math.floor` it is never said to be more than it is. */
export function percent(part: number, whole: number, round: (value: number) => number = Math.round): string {
  return whole === 0 ? "0 %" : `${round((part / whole) * 100)} %`;
}

/** How a piece of text stands out. Every use also reads well without it. */
export type PaintStyle = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Marks a text, or returns it as it is where there are no colours. */
type Paint = (style: PaintStyle, text: string) => string;

/** The environment variables that decide on colours. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Says whether to use colours: `FORCE_COLOR` decides first (`0` and `false` switch off), then `NO_COLOR`, then
 * `TERM=dumb`, then whether a terminal is there.
 */
export function isColourful(env: Environment, isTTY: boolean): boolean {
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  if ((env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return false;
  return isTTY;
}

/** Marks texts with styles, or leaves them as they are. */
export function painter(colourful: boolean): Paint {
  // The stream is not for styleText to judge: isColourful has decided.
  return colourful ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}

/**
 * C0 and C1 controls but tab and line feed, the marks that change the direction of text or end its line, and the signs of
 * annotations and tags, which nobody sees.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text of a log as a terminal may show it: control characters, which could move the cursor or hide text, are spelled out. */
export function plainText(text: string): string {
  return text.replace(UNSAFE, (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`);
}

/** JSON as a terminal may show it: the same characters are escaped as JSON has it, so that it still says the same. */
export function plainJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** The beginning of a text on one line of at most `most` characters, with an ellipsis where it was cut. */
export function singleLine(text: string, most: number): string {
  // A log may hold megabytes in one text; only what can be shown is looked at.
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

/** A word that a POSIX shell reads back as it is. */
export function shellWord(text: string): string {
  const word = plainText(text);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
