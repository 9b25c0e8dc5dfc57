/**
 * By the list, because values are copied and their lists are not. Without the bracket at the end, so that what goes on
 * from a long list need not copy its text to take that away.
 */
const written = new WeakMap<readonly unknown[], string>();

/**
 * A list of texts as canonical JSON; undefined for any other list. Lists of ids may be long and stand in many values: a
 * frozen one is written once.
 */
export function writtenTexts(items: readonly unknown[]): string | undefined {
  const known = written.get(items);
  if (known !== undefined) return `${known}]`;
  // Not `every`, which passes over holes.
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (typeof item !== "string" || !item.isWellFormed()) return undefined;
  }
  const text = JSON.stringify(items);
  if (Object.isFrozen(items)) written.set(items, text.slice(0, -1));
  return text;
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
  if (end !== undefined) written.set(items, `${beginning},${end.slice(1, -1)}`);
  return items;
}
