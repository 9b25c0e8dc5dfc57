/**
 * By the list, because values are copied and their lists are not. In pieces, of which each has at least twice the length
 * of the next, and without the bracket at the end: what goes on from a long list adds a piece and copies no long one.
 */
const written = new WeakMap<readonly unknown[], readonly string[]>();

/**
 * A list of texts as canonical JSON, in pieces and without the bracket at the end; undefined for any other list. Lists of
 * ids may be long and stand in many values: a frozen one is written once.
 */
export function writtenTexts(items: readonly unknown[]): readonly string[] | undefined {
  const known = written.get(items);
  if (known !== undefined) return known;
  // Not `every`, which passes over holes.
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (typeof item !== "string" || !item.isWellFormed()) return undefined;
  }
  const pieces = [JSON.stringify(items).slice(0, -1)];
  if (Object.isFrozen(items)) written.set(items, pieces);
  return pieces;
}

/** True for a frozen list of which it is known that it holds texts and nothing else. */
export const isWrittenOnce = (items: readonly unknown[]): boolean => written.has(items);

/**
 * A frozen list that goes on where another one ends. What was written of that one is not written again, so that a list
 * that grows costs what is new.
 */
export function continuedTexts<Text extends string>(former: readonly Text[], more: readonly Text[]): readonly Text[] {
  if (more.length === 0 || former.length === 0) return Object.freeze(former.length === 0 ? more : former);
  const items = Object.freeze(former.concat(more));
  const beginning = written.get(former);
  if (beginning === undefined) return items;
  const end = writtenTexts(more);
  if (end !== undefined) written.set(items, withPiece(beginning, `,${end.join("").slice(1)}`));
  return items;
}

/** One piece more, joined with those before it that are not long beside it, so that there are never many. */
function withPiece(pieces: readonly string[], piece: string): readonly string[] {
  const kept = [...pieces];
  let last = piece;
  for (let before = kept.at(-1); before !== undefined && before.length < 2 * last.length; before = kept.at(-1)) {
    last = before + last;
    kept.pop();
  }
  return [...kept, last];
}
