/**
 * The same JSON value with the keys of every object in canonical order (sorted by UTF-16 code units; keys that are
 * array indices come first, as JavaScript orders them). A value that is in order already is given back as it is. What is
 * read back from canonical JSON has this order, so a value in this order serializes the same before and after it was kept.
 */
export function toCanonicalOrder<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  return (Array.isArray(value) ? orderArray(value) : orderObject(value as Record<string, unknown>)) as Value;
}

function orderArray(items: readonly unknown[]): readonly unknown[] {
  const ordered = items.map(toCanonicalOrder);
  return ordered.every((item, index) => item === items[index]) ? items : ordered;
}

function orderObject(value: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(value);
  const sorted = keys.toSorted();
  let same = true;
  const entries = sorted.map((key, index): [string, unknown] => {
    const item = value[key];
    const ordered = toCanonicalOrder(item);
    if (ordered !== item || keys[index] !== key) same = false;
    return [key, ordered];
  });
  return same ? value : Object.fromEntries(entries);
}
