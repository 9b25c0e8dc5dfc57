/** How wide a line of a golden file may be before it is broken. */
const WIDTH = 120;

/**
 * JSON for people who review it: what fits on a line stands on one, and lists of short values fill their lines. It is
 * plain JSON, with the keys in the order that they have.
 */
export const reviewJson = (value: unknown): string => `${lines(JSON.parse(JSON.stringify(value)), "", 0)}\n`;

function lines(value: unknown, indent: string, used: number): string {
  const flat = inline(value);
  if (typeof value !== "object" || value === null || indent.length + used + flat.length <= WIDTH) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const isShort = value.every((item) => typeof item !== "object" || item === null);
    const items = isShort ? filled(value.map(inline), inner) : value.map((item) => `${inner}${lines(item, inner, 1)}`);
    return `[\n${items.join(isShort ? "\n" : ",\n")}\n${indent}]`;
  }
  const fields = Object.entries(value).map(([key, item]) => {
    const name = `${JSON.stringify(key)}: `;
    return `${inner}${name}${lines(item, inner, name.length + 1)}`;
  });
  return `{\n${fields.join(",\n")}\n${indent}}`;
}

/** A value on one line, with room after commas and colons. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** Items with commas between them, as many on a line as fit. */
function filled(items: readonly string[], indent: string): readonly string[] {
  const rows: string[] = [];
  items.forEach((item, index) => {
    const text = index === items.length - 1 ? item : `${item},`;
    const row = rows.at(-1);
    if (row !== undefined && row.length + 1 + text.length <= WIDTH) rows[rows.length - 1] = `${row} ${text}`;
    else rows.push(`${indent}${text}`);
  });
  return rows;
}
