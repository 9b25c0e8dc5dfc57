/**
 * Serialized lists, keyed by the list because values are copied while their lists are shared. Each is kept in pieces,
 * without the closing bracket, and each piece is at least twice as long as the next: a list that continues a long one
 * adds a piece and copies no long one.
 */
const written = new WeakMap<readonly unknown[], readonly string[]>();

/**
 * Returns a list of texts as canonical JSON, in pieces and without the closing bracket; undefined for any other list.
 * Lists of ids may be long and occur in many values, so a frozen one is serialized only once.
 */
export function writtenTexts(items: readonly unknown[]): readonly string[] | undefined {
  const known = written.get(items);
  if (known !== undefined) return known;
  // Not `every`, which skips holes.
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (typeof item !== "string" || !item.isWellFormed()) return undefined;
  }
  const pieces = [JSON.stringify(items).slice(0, -1)];
  if (Object.isFrozen(items)) written.set(items, pieces);
  return pieces;
}

/** Checks whether a list is frozen and already known to hold only texts. */
export const isWrittenOnce = (items: readonly unknown[]): boolean => written.has(items);

/**
 * Of each list that was continued last, a copy that is not frozen. Node copies such a list as one block of memory, but
 * a frozen one item by item, which took twice as long: a third of a fold behind a million messages.
 */
const growing = new WeakMap<readonly string[], string[]>();

/**
 * Returns a frozen list that continues another one. The other list is not serialized again, so the cost of a growing
 * list is that of its new items.
 */
export function continuedTexts<Text extends string>(former: readonly Text[], more: readonly Text[]): readonly Text[] {
  if (more.length === 0 || former.length === 0) return Object.freeze(former.length === 0 ? more : former);
  const items = Object.freeze(copyContinued(former, more));
  const beginning = written.get(former);
  if (beginning === undefined) return items;
  const end = writtenTexts(more);
  if (end !== undefined) written.set(items, withPiece(beginning, `,${end.join("").slice(1)}`));
  return items;
}

function copyContinued<Text extends string>(former: readonly Text[], more: readonly Text[]): readonly Text[] {
  const open = (growing.get(former) as Text[] | undefined) ?? [...former];
  growing.delete(former);
  for (const text of more) open.push(text);
  const items = open.slice();
  growing.set(items, open);
  return items;
}

/** Appends a piece, merged with preceding pieces less than twice as long, so that the number of pieces stays small. */
function withPiece(pieces: readonly string[], piece: string): readonly string[] {
  const kept = [...pieces];
  let last = piece;
  for (let before = kept.at(-1); before !== undefined && before.length < 2 * last.length; before = kept.at(-1)) {
    last = before + last;
    kept.pop();
  }
  return [...kept, last];
}
