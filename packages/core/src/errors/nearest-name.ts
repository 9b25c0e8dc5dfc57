/** Of the known names the one that was probably meant by an unknown one; undefined when none is near. */
export function nearestName(unknown: string, known: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(unknown.length / 3));
  let nearest: { readonly name: string; readonly changes: number } | undefined;
  for (const name of known) {
    const changes = changesBetween(unknown.toLowerCase(), name.toLowerCase());
    if (changes <= most && (nearest === undefined || changes < nearest.changes)) nearest = { name, changes };
  }
  return nearest?.name;
}

/** Characters to add, take away or replace to get from one word to the other. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
