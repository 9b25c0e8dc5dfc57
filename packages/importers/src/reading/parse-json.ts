import { parseJson as parseEveryKey } from "@threadfold/core";
import { nestsDeeperThan } from "./nesting-depth.ts";

/**
 * Levels of nesting that are parsed at all: a parser takes memory for each. What core cannot carry of them is cut
 * afterwards, with a warning.
 */
const MAX_PARSED_DEPTH = 1_000_000;

/** What became of a JSON text. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Parses a JSON text. Never throws: what is not JSON, and what is nested beyond all reason, comes back as a problem. */
export function parseJson(text: string): ParsedJson {
  // A shorter text cannot open that many brackets, so ordinary lines skip the check.
  if (text.length > MAX_PARSED_DEPTH && nestsDeeperThan(text, MAX_PARSED_DEPTH)) {
    return { ok: false, problem: `nested deeper than ${MAX_PARSED_DEPTH} levels` };
  }
  try {
    return { ok: true, value: parseEveryKey(text) };
  } catch (error) {
    return { ok: false, problem: `not JSON: ${(error as Error).message.toWellFormed()}` };
  }
}
