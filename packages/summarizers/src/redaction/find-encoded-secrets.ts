import { findPlainSecrets } from "./find-plain-secrets.ts";
import type { FoundSecret } from "./found-secret.ts";

/** A run of base64, in either alphabet, and the sign before it: with that sign each word is looked at once. */
const RUN = /(?:^|[^A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,65536}={0,2}/g;
const NO_BASE64 = /^[^A-Za-z0-9+/_-]/;
/** Behind an escaped line break of JSON the letter of the escape is not part of a run. */
const ESCAPED = /^\\[nrt]/;
/** So much is decoded to see whether a run holds text at all; most runs are names and paths. */
const SAMPLE = 24;
const TEXT = /^[\t\n\r\x20-\x7e]+$/;
const BETWEEN = "\n\n";

/** The base64 in a text that holds secrets: each whole run, under the kind of what it holds. */
export async function findEncodedSecrets(text: string): Promise<readonly FoundSecret[]> {
  const runs: { readonly start: number; readonly end: number; readonly decodedStart: number }[] = [];
  const decoded: string[] = [];
  let position = 0;
  for (const { index, 0: match } of text.matchAll(RUN)) {
    const before = ESCAPED.exec(match) ?? NO_BASE64.exec(match);
    const start = index + (before?.[0].length ?? 0);
    const run = text.slice(start, index + match.length);
    if (decodeText(run.slice(0, SAMPLE)) === null) continue;
    const plain = decodeText(run);
    if (plain === null) continue;
    runs.push({ start, end: start + run.length, decodedStart: position });
    decoded.push(plain);
    position += plain.length + BETWEEN.length;
  }
  if (runs.length === 0) return [];
  const found = await findPlainSecrets(decoded.join(BETWEEN));
  return found.flatMap(({ start, messageId }) => {
    const run = runs.findLast(({ decodedStart }) => decodedStart <= start);
    return run === undefined ? [] : [{ start: run.start, end: run.end, messageId }];
  });
}

/** What a run of base64 says; null when it holds no plain text. */
function decodeText(run: string): string | null {
  const body = run.replace(/=+$/, "");
  if (body.length % 4 === 1) return null;
  const plain = atob(body.replaceAll("-", "+").replaceAll("_", "/"));
  return TEXT.test(plain) ? plain : null;
}
