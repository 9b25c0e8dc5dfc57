/** How a column is aligned. */
export type Alignment = "left" | "right";

/**
 * Rows as text, columns two spaces apart, each as wide as its widest cell; the last one is not padded. Cells must be
 * free of colours, which would count as width.
 */
export function table(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): readonly string[] {
  const widths = alignments.map((_, column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        if (alignments[column] === "right") return cell.padStart(widths[column] ?? 0);
        return column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
      })
      .join("  ")
      .trimEnd(),
  );
}
