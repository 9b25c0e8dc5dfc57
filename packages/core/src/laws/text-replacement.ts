/**
 * A copy of plain data in which one text is replaced; `pick` chooses which, modulo their number. Keys and discriminants
 * (`type`, `kind`, `role` and the like) are texts too. Data without a text comes back as it is.
 */
export function withTextReplaced(value: unknown, pick: number, text: string): unknown {
  const count = countTexts(value);
  return count === 0 ? value : replace(value, { left: pick % count }, text);
}

function countTexts(value: unknown): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + countTexts(item), 0);
}

function replace(value: unknown, countdown: { left: number }, text: string): unknown {
  if (typeof value === "string") return countdown.left-- === 0 ? text : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replace(item, countdown, text));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, countdown, text)]));
}
