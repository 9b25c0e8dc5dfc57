/**
 * Formats rows as a text table, with names left-aligned and figures right-aligned. The first `names` columns are names.
 */
export function textTable(rows: readonly (readonly string[])[], names = 1): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number): string =>
    column < names ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join("  ").trimEnd()).join("\n");
}

/** Formats the same rows as a Markdown table; the first row is its header. */
export function markdownTable(rows: readonly (readonly string[])[], names = 1): string {
  const [head = [], ...body] = rows;
  const line = (row: readonly string[]): string => `| ${row.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = head.map((_, column) => (column < names ? "---" : "---:"));
  return [line(head), line(rule), ...body.map(line)].join("\n");
}
