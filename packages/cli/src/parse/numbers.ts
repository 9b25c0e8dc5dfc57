import { ThreadfoldError } from "@threadfold/core";

const MULTIPLES: Readonly<Record<string, number>> = Object.freeze({ "": 1, k: 1_000, m: 1_000_000 });

/** Largest number of tokens that is accepted: far beyond any window, and far from where numbers lose precision. */
const MOST_TOKENS = 1_000_000_000;

/**
 * Reads a number of tokens: `100000`, `100_000`, `100,000`, `100k`, `1m`.
 *
 * @throws ThreadfoldError `USAGE`.
 */
export function parseTokens(option: string, text: string): number {
  const [, digits = "", unit = ""] = /^(\d[\d_,]{0,20})([km]?)$/i.exec(text) ?? [];
  const tokens = Number(digits.replace(/[_,]/g, "")) * (MULTIPLES[unit.toLowerCase()] ?? 1);
  if (digits !== "" && tokens >= 1 && tokens <= MOST_TOKENS) return tokens;
  throw new ThreadfoldError(
    "USAGE",
    `${option} is ${JSON.stringify(text)}; it must be a number of tokens from 1 to ${MOST_TOKENS}.`,
    {
      hint: "Write it as 100000, 100_000 or 100k.",
    },
  );
}

/**
 * Reads the version of a plan: a whole number from 0, the plan that folds nothing.
 *
 * @throws ThreadfoldError `USAGE`.
 */
export function parsePlanVersion(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ThreadfoldError(
    "USAGE",
    `${name} is ${JSON.stringify(text)}; it must be the version of a plan, a whole number from 0.`,
    {
      hint: "List the plans of the thread with threadfold plans.",
    },
  );
}
