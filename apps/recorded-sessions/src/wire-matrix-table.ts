import type { WireResult } from "./run-wire-cells.ts";

/**
 * The matrix as tables: how many runs of each session hold in each format, and the same for presets and budgets. What
 * fails is listed run by run.
 */
export function wireMatrixTable(results: readonly WireResult[]): string {
  const failed = results.filter(({ problems }) => problems.length > 0);
  const failures = failed.map(
    ({ name, preset, budget, format, model, problems }) =>
      `FAILED: ${name}, ${preset} at ${budget} in ${format}${model === undefined ? "" : ` for ${model}`}: ${problems.slice(0, 2).join("; ")}`,
  );
  return [
    crossTable(results, "session", ({ name }) => name),
    crossTable(results, "preset", ({ preset }) => preset),
    crossTable(results, "model", ({ model }) => model ?? "not named"),
    crossTable(results, "budget", ({ budget }) => String(budget)),
    outcomeLine(results),
    ...failures,
  ].join("\n\n");
}

/** A row per group, a column per format: runs that hold of all runs, and what they took together. */
function crossTable(results: readonly WireResult[], title: string, rowOf: (result: WireResult) => string): string {
  const formats = [...new Set(results.map(({ format }) => format))];
  const body = [...Map.groupBy(results, rowOf)].map(([row, group]) => [
    row.length > 64 ? `…${row.slice(-63)}` : row,
    ...formats.map((format) => heldOf(group.filter((result) => result.format === format))),
    String(group.reduce((sum, { folded }) => sum + folded, 0)),
    (group.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000).toFixed(1),
  ]);
  const rows = [[title, ...formats, "messages folded", "s"], ...body];
  const widths = (rows[0] as string[]).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return rows.map(line).join("\n");
}

const heldOf = (results: readonly WireResult[]): string =>
  `${results.filter(({ problems }) => problems.length === 0).length}/${results.length}`;

function outcomeLine(results: readonly WireResult[]): string {
  const counts = [...Map.groupBy(results, ({ outcome }) => outcome)].map(([name, group]) => `${group.length} ${name}`);
  const sessions = new Set(results.map(({ name }) => name)).size;
  const held = results.filter(({ problems }) => problems.length === 0).length;
  return (
    `${results.length} runs over ${sessions} sessions: ${held} hold, ${results.length - held} fail.\n` +
    `Folding ended with: ${counts.join(", ")}.`
  );
}
