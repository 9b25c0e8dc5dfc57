import { styleText } from "node:util";

/** How a piece of text stands out. Every use also reads well without it. */
export type PaintStyle = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Marks a text, or gives it back as it is where there are no colours. */
export type Paint = (style: PaintStyle, text: string) => string;

/** The environment variables that decide on colours. */
export type Environment = Readonly<Record<string, string | undefined>>;

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

/** Paints, or does nothing. */
export function painter(colourful: boolean): Paint {
  // The stream is not for styleText to judge: isColourful has decided.
  return colourful ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}
