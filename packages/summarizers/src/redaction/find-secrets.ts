import { EventLoopTurns, type Steps } from "@threadfold/core";
import { eachRun } from "../text/each-run.ts";
import { AnchorSearch, type FoundSecret, type SecretRule } from "./secret-rule.ts";
import { secretRules } from "./secret-rules.ts";

/** Finds the secrets in a text, plain and in base64, in no particular order. They may overlap. */
export async function findSecrets(text: string): Promise<readonly FoundSecret[]> {
  const turns = new EventLoopTurns();
  const { plain, placeOf } = await turns.finish(withoutColours(text));
  const found = [...(await findPlainSecrets(plain)), ...(await findEncodedSecrets(plain))];
  if (plain === text) return found;
  return turns.finish(
    mapped(found, (secret) => ({ ...secret, start: placeOf(secret.start), end: placeOf(secret.end - 1) + 1 })),
  );
}

/** Items processed in one step. */
const ITEMS_A_STEP = 512;

function* mapped<Item, Result>(items: readonly Item[], result: (item: Item) => Result): Steps<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (results.push(result(item)) % ITEMS_A_STEP === 0) yield;
  }
  return results;
}

/** A text without color escapes, and the position of its characters in the original text. */
interface Uncoloured {
  readonly plain: string;
  readonly placeOf: (position: number) => number;
}

/** A terminal's color escape, raw or escaped in JSON and shells. Its last letter would run into the secret after it. */
const COLOUR = /(?:\u001b|\\(?:u001[bB]|x1[bB]|033|e))\[[\d;?]{0,24}[A-Za-z]|\u009b[\d;?]{0,24}[A-Za-z]/g;
/** The most backslashes of an escape in JSON within JSON; the pattern matches only the last one. */
const MOST_BACKSLASHES = 8;
const WORD = /\w/;

function* withoutColours(text: string): Steps<Uncoloured> {
  const pieces: string[] = [];
  const [starts, shifts]: [number[], number[]] = [[0], [0]];
  let [from, length] = [0, 0];
  for (const { index: last, 0: colour } of text.matchAll(COLOUR)) {
    if (starts.length % ITEMS_A_STEP === 0) yield;
    const index = colour.startsWith("\\") ? firstBackslash(text, last, from) : last;
    const piece = text.slice(from, index);
    // A line break is inserted between two words, so that they do not become one.
    const end = last + colour.length;
    const sign = WORD.test(text[index - 1] ?? "") && WORD.test(text[end] ?? "") ? "\n" : "";
    pieces.push(piece, sign);
    length += piece.length + sign.length;
    from = end;
    starts.push(length);
    shifts.push(from - length);
  }
  if (pieces.length === 0) return { plain: text, placeOf: (position) => position };
  const plain = pieces.join("") + text.slice(from);
  return { plain, placeOf: (position) => position + (shifts[startBefore(starts, position)] ?? 0) };
}

/** Where the backslashes of an escape begin, not before `from`. */
function firstBackslash(text: string, last: number, from: number): number {
  let first = last;
  while (first > from && last - first < MOST_BACKSLASHES - 1 && text[first - 1] === "\\") first--;
  return first;
}

/**
 * Sizes of the window in which a text is searched at once and of the margin added on both sides, in UTF-16 code units.
 * The margin is longer than any secret that a rule can match, so that each is seen whole.
 */
const WINDOW = 262_144;
const MARGIN = 32_768;

/**
 * Size of the blocks that are searched for anchors, in UTF-16 code units. Windows and margins start and end at blocks.
 */
const BLOCK = MARGIN;

let search: AnchorSearch<SecretRule> | undefined;

/**
 * Finds the plain secrets in a text. Rules with anchors run only if one of their anchors occurs in the text. A long
 * text is searched in windows, with yields to the event loop in between; a secret where two windows meet may be found
 * twice.
 */
export async function findPlainSecrets(text: string): Promise<readonly FoundSecret[]> {
  const rules = await secretRules();
  search ??= new AnchorSearch(new Map(rules.map((rule) => [rule, rule.anchors ?? []])));
  const windows = new Windows(text, rules, search);
  if (text.length <= WINDOW + MARGIN) return windows.foundBetween(0, text.length);
  const found: FoundSecret[] = [];
  for (let from = 0; from < text.length; from += WINDOW) {
    const until = from + WINDOW;
    for (const secret of await windows.foundBetween(Math.max(0, from - MARGIN), until + MARGIN))
      if (secret.end > from && secret.start < until) found.push(secret);
  }
  return found;
}

/** A text that is searched in windows, and the rules that may find something in each of its blocks. */
class Windows {
  readonly #text: string;
  readonly #rules: readonly SecretRule[];
  readonly #anchors: AnchorSearch<SecretRule>;
  readonly #likely: ReadonlySet<SecretRule>[] = [];
  readonly #turns = new EventLoopTurns();

  constructor(text: string, rules: readonly SecretRule[], anchors: AnchorSearch<SecretRule>) {
    this.#text = text;
    this.#rules = rules;
    this.#anchors = anchors;
  }

  /** Returns what all rules find in a range of the text that begins at a block. */
  async foundBetween(start: number, end: number): Promise<readonly FoundSecret[]> {
    const found: FoundSecret[] = [];
    const likely: ReadonlySet<SecretRule>[] = [];
    for (let block = start / BLOCK; block * BLOCK < Math.min(end, this.#text.length); block++)
      likely.push(await this.#likelyIn(block));
    const text = this.#text.slice(start, end);
    for (const rule of this.#rules) {
      if (rule.anchors !== undefined && !likely.some((rules) => rules.has(rule))) continue;
      await this.#turns.take();
      for (const { messageId, ...secret } of await rule.find(text))
        found.push({ start: start + secret.start, end: start + secret.end, messageId });
    }
    return found;
  }

  async #likelyIn(block: number): Promise<ReadonlySet<SecretRule>> {
    const known = this.#likely[block];
    if (known !== undefined) return known;
    await this.#turns.take();
    const start = block * BLOCK;
    const likely = this.#anchors.kindsIn(this.#text, start, Math.min(this.#text.length, start + BLOCK));
    this.#likely[block] = likely;
    return likely;
  }
}

/** The characters of base64, in either alphabet. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w+/-]/.test(String.fromCharCode(code))));

/** Runs shorter than the first are ignored, and only this much of longer ones is read. In UTF-16 code units. */
const MIN_RUN = 24;
const MAX_RUN = 65_536;
/** Every fourth base64 character has a byte's first six bits, so plain text yields one of these; few names begin so. */
const BEGINS_AS_TEXT = /(?:[CDI-Za-f].{3}){5}[CDI-Za-f]/y;
const TEXT = /^[\t\n\r\x20-\x7e]+$/;
const BETWEEN = "\n\n";

/** A range of a text. */
interface Run {
  readonly start: number;
  readonly end: number;
}

/** Finds the base64 in a text that contains secrets: each run as a whole, with the kind of the secret inside. */
export async function findEncodedSecrets(text: string): Promise<readonly FoundSecret[]> {
  const turns = new EventLoopTurns();
  const { runs, starts, plain } = await turns.finish(decodedRuns(text));
  if (runs.length === 0) return [];
  const found = await findPlainSecrets(plain);
  return turns.finish(
    mapped(found, ({ start, messageId }) => ({ ...(runs[startBefore(starts, start)] as Run), messageId })),
  );
}

/** The runs of base64 that contain text, and their decoded contents as one text, with blank lines in between. */
function* decodedRuns(text: string): Steps<{
  readonly runs: readonly Run[];
  readonly starts: readonly number[];
  readonly plain: string;
}> {
  const bounds: Run[] = [];
  eachRun(text, KINDS, MIN_RUN, (runStart, runEnd) => {
    const start = runStart + escapedLetter(text, runStart);
    BEGINS_AS_TEXT.lastIndex = start;
    if (BEGINS_AS_TEXT.test(text)) bounds.push({ start, end: Math.min(runEnd, runStart + MAX_RUN) });
  });
  const runs: Run[] = [];
  const starts: number[] = [];
  const decoded: string[] = [];
  let [position, read] = [0, 0];
  for (const { start, end } of bounds) {
    read += end - start;
    if (read > MAX_RUN) {
      yield;
      read = 0;
    }
    const plain = decodeText(text.slice(start, end));
    if (plain === null) continue;
    runs.push({ start, end: withPadding(text, end) });
    starts.push(position);
    decoded.push(plain);
    position += plain.length + BETWEEN.length;
  }
  return { runs, starts, plain: decoded.join(BETWEEN) };
}

/**
 * Number of characters to skip at the start of a run: the letter of an escaped line break in JSON is not part of it.
 */
const escapedLetter = (text: string, start: number): number =>
  text[start - 1] === "\\" && "nrt".includes(text.charAt(start)) ? 1 : 0;

/** The decoded text of a run of base64; null when it is not plain text. */
function decodeText(run: string): string | null {
  if (run.length % 4 === 1) return null;
  const plain = atob(run.replaceAll("-", "+").replaceAll("_", "/"));
  return TEXT.test(plain) ? plain : null;
}

/** The end of a run, including its padding (`=`). */
function withPadding(text: string, end: number): number {
  if (text[end] !== "=") return end;
  return text[end + 1] === "=" ? end + 2 : end + 1;
}

/** Returns the index of the last start, in ascending order, that is not after a position; -1 when all of them are. */
export function startBefore(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
