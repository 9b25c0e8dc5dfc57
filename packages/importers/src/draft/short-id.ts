import { sha256 } from "@threadfold/core";

/** Core takes ids of at most 512 UTF-16 code units; this leaves room for a suffix. */
const MAX_LENGTH = 480;
const KEPT_LENGTH = 400;

/** An id of a log as core can carry it: without lone surrogates, and a very long one cut and marked by its hash. */
export function shortId(id: string): string {
  const wellFormed = id.toWellFormed();
  if (wellFormed.length <= MAX_LENGTH) return wellFormed;
  return `${wellFormed.slice(0, KEPT_LENGTH).toWellFormed()}~${sha256(wellFormed).slice(0, 16)}`;
}
