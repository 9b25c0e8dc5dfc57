import { eachRun } from "../text/each-run.ts";
import { findPlainSecrets } from "./find-plain-secrets.ts";
import type { FoundSecret } from "./found-secret.ts";
import { startBefore } from "./start-before.ts";

/** The signs of base64 in either alphabet. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w+/-]/.test(String.fromCharCode(code))));

/** Shorter runs hold no secret, longer ones are read so far. In UTF-16 code units. */
const MIN_RUN = 24;
const MAX_RUN = 65_536;
/** In base64 every fourth sign carries the first six bits of a byte: of plain text it is one of these. Few names begin so. */
const BEGINS_AS_TEXT = /(?:[CDI-Za-f].{3}){5}[CDI-Za-f]/y;
const TEXT = /^[\t\n\r\x20-\x7e]+$/;
const BETWEEN = "\n\n";

/** The base64 in a text that holds secrets: each whole run, under the kind of what it holds. */
export async function findEncodedSecrets(text: string): Promise<readonly FoundSecret[]> {
  const runs: { readonly start: number; readonly end: number }[] = [];
  const decodedStarts: number[] = [];
  const decoded: string[] = [];
  let position = 0;
  eachRun(text, KINDS, MIN_RUN, (runStart, runEnd) => {
    const start = runStart + escapedLetter(text, runStart);
    BEGINS_AS_TEXT.lastIndex = start;
    if (!BEGINS_AS_TEXT.test(text)) return;
    const end = Math.min(runEnd, runStart + MAX_RUN);
    const plain = decodeText(text.slice(start, end));
    if (plain === null) return;
    runs.push({ start, end: withPadding(text, end) });
    decodedStarts.push(position);
    decoded.push(plain);
    position += plain.length + BETWEEN.length;
  });
  if (runs.length === 0) return [];
  const found = await findPlainSecrets(decoded.join(BETWEEN));
  return found.flatMap(({ start, messageId }) => {
    const run = runs[startBefore(decodedStarts, start)];
    return run === undefined ? [] : [{ start: run.start, end: run.end, messageId }];
  });
}

/** Behind an escaped line break of JSON the letter of the escape is not part of a run: how many signs to leave out. */
const escapedLetter = (text: string, start: number): number =>
  text[start - 1] === "\\" && "nrt".includes(text.charAt(start)) ? 1 : 0;

/** What a run of base64 says; null when it holds no plain text. */
function decodeText(run: string): string | null {
  if (run.length % 4 === 1) return null;
  const plain = atob(run.replaceAll("-", "+").replaceAll("_", "/"));
  return TEXT.test(plain) ? plain : null;
}

/** The end of a run with the `=` that fill it up. */
function withPadding(text: string, end: number): number {
  if (text[end] !== "=") return end;
  return text[end + 1] === "=" ? end + 2 : end + 1;
}
