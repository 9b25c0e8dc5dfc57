import { EventLoopTurns, type JsonValue, type Steps } from "@threadfold/core";
import { startBefore } from "./find-secrets.ts";
import { redactionMarker, type SecretStretch, secretStretches, withoutStretches } from "./redact-secrets.ts";
import { MIN_SECRET } from "./secret-rules.ts";

const BETWEEN = "\n\n";

/**
 * Redacts the texts in a JSON value, at any depth, including secrets that are split across the `text` fields of
 * neighbors in a list, such as the parts of a message, and those that only the other arguments of a command reveal.
 * Keys and texts known to be ids are kept. Returns the same value when there is nothing to redact.
 */
export async function redactJson<Value extends JsonValue | undefined>(
  value: Value,
  ids: Pick<ReadonlySet<string>, "has"> = new Set(),
): Promise<Value> {
  const turns = new EventLoopTurns();
  const { texts, lists } = await turns.finish(collect(value));
  const joined = new Map<JsonList, readonly string[]>();
  const stretches = new StretchesOfTexts();
  for (const list of await listsWithSecrets(lists, stretches)) {
    await turns.take();
    const pieces = piecesOf(list);
    const clean = await redactPieces(pieces, stretches);
    if (clean === pieces.texts) continue;
    joined.set(list, clean);
    for (const text of clean) texts.push(text);
  }
  const replacements = await replacementsOf(texts, ids, stretches);
  return joined.size + replacements.size === 0 ? value : (replaced(value, replacements, joined) as Value);
}

type JsonList = readonly JsonValue[];

/** The secrets found in individual texts. Each text is searched only once, however often it is asked about. */
class StretchesOfTexts {
  readonly #known = new Map<string, readonly SecretStretch[]>();

  /** Whether a text contains secrets; undefined when it has not been searched yet. */
  isTouched(text: string): boolean | undefined {
    const known = this.#known.get(text);
    return known && known.length > 0;
  }

  async of(text: string): Promise<readonly SecretStretch[]> {
    const stretches = this.#known.get(text) ?? (await secretStretches(text));
    this.#known.set(text, stretches);
    return stretches;
  }
}

/** Values processed in one step. */
const VALUES_A_STEP = 256;

/** Every text long enough to contain a secret, and every list of several texts, in the order of the value. */
function* collect(
  value: JsonValue | undefined,
): Steps<{ readonly texts: string[]; readonly lists: readonly JsonList[] }> {
  const texts: string[] = [];
  const lists: JsonList[] = [];
  const open = [value];
  for (let looked = 1; open.length > 0; looked++) {
    if (looked % VALUES_A_STEP === 0) yield;
    const next = open.pop();
    if (typeof next === "string" && next.length >= MIN_SECRET) texts.push(next);
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next) && piecesOf(next).texts.length > 1) lists.push(next);
    const items = Array.isArray(next) ? next : Object.values(next);
    for (let index = items.length - 1; index >= 0; index--) open.push(items[index]);
  }
  return { texts, lists };
}

/** The lists whose pieces contain a secret when they are joined to one text. */
async function listsWithSecrets(lists: readonly JsonList[], stretches: StretchesOfTexts): Promise<readonly JsonList[]> {
  const texts = lists.map((list) => joinedText(piecesOf(list)));
  const touched = await touchedBy(texts, stretches);
  return lists.filter((_, index) => touched.has(index));
}

/** Size of the portions of texts that are searched together, in UTF-16 code units; searching each alone costs more. */
const TOGETHER = 131_072;

/** The indexes of the texts that contain a secret. */
async function touchedBy(texts: readonly string[], stretches: StretchesOfTexts): Promise<ReadonlySet<number>> {
  const touched = new Set<number>();
  const turns = new EventLoopTurns();
  for (const { from, to } of portionsOf(texts)) {
    await turns.take();
    for (const index of await touchedAmong(texts.slice(from, to), stretches)) touched.add(from + index);
  }
  return touched;
}

/** Consecutive texts that are searched together. */
function* portionsOf(texts: readonly string[]): Iterable<{ readonly from: number; readonly to: number }> {
  let [from, length] = [0, 0];
  for (let to = 1; to <= texts.length; to++) {
    length += (texts[to - 1] as string).length + BETWEEN.length;
    if (length < TOGETHER && to < texts.length) continue;
    yield { from, to };
    [from, length] = [to, 0];
  }
}

async function touchedAmong(texts: readonly string[], stretches: StretchesOfTexts): Promise<readonly number[]> {
  const touched: number[] = [];
  const found = await stretches.of(texts.join(BETWEEN));
  let start = 0;
  let next = 0;
  for (const [index, text] of found.length === 0 ? [] : texts.entries()) {
    const end = start + text.length;
    while (next < found.length && (found[next]?.end as number) <= start) next++;
    if (next < found.length && (found[next]?.start as number) < end) touched.push(index);
    start = end + BETWEEN.length;
  }
  return touched;
}

async function replacementsOf(
  texts: readonly string[],
  ids: Pick<ReadonlySet<string>, "has">,
  stretches: StretchesOfTexts,
): Promise<ReadonlyMap<string, string>> {
  const replacements = new Map<string, string>();
  const turns = new EventLoopTurns();
  const [touched, unknown]: [string[], string[]] = [[], []];
  for (const [index, text] of texts.entries()) {
    if (index % VALUES_A_STEP === 0) await turns.take();
    const isTouched = stretches.isTouched(text);
    if (isTouched === undefined) unknown.push(text);
    else if (isTouched) touched.push(text);
  }
  for (const index of await touchedBy(unknown, stretches)) touched.push(unknown[index] as string);
  for (const text of touched) {
    await turns.take();
    if (ids.has(text) || replacements.has(text)) continue;
    const clean = withoutStretches(text, await stretches.of(text));
    if (clean !== text) replacements.set(text, clean);
  }
  return replacements;
}

/** Returns the value with texts replaced. What contains none of them is returned as it is, and not copied. */
function replaced(
  value: JsonValue | undefined,
  texts: ReadonlyMap<string, string>,
  joined: ReadonlyMap<JsonList, readonly string[]>,
): JsonValue | undefined {
  if (typeof value === "string") return texts.get(value) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    const fields = Object.entries(value).map(([key, item]) => ({ key, item, clean: replaced(item, texts, joined) }));
    const isClean = fields.every(({ item, clean }) => item === clean);
    return isClean ? value : Object.fromEntries(fields.map(({ key, clean }) => [key, clean]));
  }
  const pieces = joined.get(value);
  const typed = argumentsIn(value);
  let next = 0;
  const items = (typed === null ? value : (pieces ?? typed)).map((item: JsonValue) => {
    const isPiece = typed === null && pieces !== undefined && textOf(item) !== null;
    const whole = isPiece ? { ...(item as object), text: pieces[next++] } : item;
    return replaced(whole as JsonValue, texts, joined) as JsonValue;
  });
  return items.every((item, index) => item === value[index]) ? value : items;
}

/** Texts of a list that are searched as one, and what is put between them. */
interface Pieces {
  readonly texts: readonly string[];
  readonly between: string;
}

const OPTION = /^--?\w/;

/** The arguments of a command, as one would type them: a list of texts with an option among them; null for others. */
function argumentsIn(list: JsonList): readonly string[] | null {
  const texts = list.filter((item) => typeof item === "string");
  return texts.length === list.length && texts.some((text) => OPTION.test(text)) ? texts : null;
}

function piecesOf(list: JsonList): Pieces {
  const typed = argumentsIn(list);
  if (typed !== null) return { texts: typed, between: " " };
  return { texts: list.map(textOf).filter((text) => text !== null), between: "" };
}

const joinedText = ({ texts, between }: Pieces): string => texts.join(between);

function textOf(item: JsonValue): string | null {
  if (typeof item !== "object" || item === null || !("text" in item)) return null;
  return typeof item.text === "string" ? item.text : null;
}

/**
 * Removes the secrets that are split across consecutive texts, including those whose name is in one text and whose
 * value is in a later one. The marker goes where the secret begins; its continuation in later texts is deleted. What
 * is visible in a single text is left to the search of single texts. Returns the same list when nothing is split.
 */
async function redactPieces(pieces: Pieces, stretches: StretchesOfTexts): Promise<readonly string[]> {
  const { texts, between } = pieces;
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    starts.push(length);
    length += text.length + between.length;
  }
  const split = await splitStretches(pieces, starts, stretches);
  if (split.length === 0) return texts;
  let next = 0;
  return texts.map((text, piece) => {
    const from = starts[piece] as number;
    let clean = "";
    let position = 0;
    while (next < split.length && (split[next]?.end as number) <= from) next++;
    for (let index = next; index < split.length; index++) {
      const { start, end, kind } = split[index] as SecretStretch;
      if (start >= from + text.length) break;
      clean += text.slice(position, Math.max(position, start - from));
      if (start >= from) clean += redactionMarker(kind);
      position = Math.min(text.length, end - from);
    }
    return clean + text.slice(position);
  });
}

/** The secrets in consecutive texts that no single text shows. */
async function splitStretches(
  pieces: Pieces,
  starts: readonly number[],
  stretches: StretchesOfTexts,
): Promise<readonly SecretStretch[]> {
  const turns = new EventLoopTurns();
  const split: SecretStretch[] = [];
  let alone: { piece: number; found: readonly SecretStretch[]; starts: readonly number[] } | undefined;
  for (const [index, stretch] of (await stretches.of(joinedText(pieces))).entries()) {
    if (index % VALUES_A_STEP === 0) await turns.take();
    const { start, end } = stretch;
    const piece = startBefore(starts, start);
    if (piece !== startBefore(starts, end - 1)) {
      split.push(stretch);
      continue;
    }
    if (alone?.piece !== piece) {
      const found = await stretches.of(pieces.texts[piece] as string);
      alone = { piece, found, starts: found.map((one) => one.start) };
    }
    const from = starts[piece] as number;
    const same = alone.found[startBefore(alone.starts, start - from)];
    // The name that reveals a secret may be at the end of the preceding text.
    if (same === undefined || same.end < end - from) split.push(stretch);
  }
  return split;
}
