import type { CellResult } from "./matrix-cell.ts";

/** The matrix as a table: a row per session and budget, the two formats side by side where they differ in nothing. */
export function matrixTable(results: readonly CellResult[]): string {
  const rows = results.map((result) => [
    result.name.length > 58 ? `…${result.name.slice(-57)}` : result.name,
    String(result.budget),
    result.format,
    String(result.exitCode),
    String(result.before),
    String(result.after),
    actionsOf(result),
    result.milliseconds.toFixed(0),
    result.problems.length === 0 ? "ok" : `FAILED: ${result.problems.slice(0, 2).join("; ")}`,
  ]);
  const header = ["session", "budget", "format", "exit", "before", "after", "kept/clear/sum/ext/drop", "ms", "result"];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] as string).length)),
  );
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, column) => align(cell, widths[column] as number, column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const actionsOf = ({ actions }: CellResult): string =>
  ["include", "clear", "summarize", "externalize", "drop"].map((action) => actions[action] ?? 0).join("/");

const align = (cell: string, width: number, column: number): string =>
  column === 0 || column === 2 || column === 8 ? cell.padEnd(width) : cell.padStart(width);
