import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { dataFolder, recordedFiles } from "./recorded-files.ts";
import { runWireCells, sampledWireCells, type WireCell, type WireResult, wireCells } from "./wire-cells.ts";

const PART = "--part=";

const USAGE = `Usage: npm run matrix:wire -- [options]

  --sample      only some of the runs, as in the everyday tests
  --format ID   only requests in this format; may be given more than once
  -h, --help    prints this
`;

const { values: asked } = parseArgs({
  options: {
    sample: { type: "boolean", default: false },
    format: { type: "string", multiple: true },
    part: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

/**
 * Folds recorded sessions under every preset at every budget in every provider's format, and checks each request
 * against the format's table, its wire schema and the SDK's own validator if there is one. `THREADFOLD_ALL_SESSIONS`
 * selects every session; `--sample` runs only some of the cells. Prints the table; exits with 1 when a request is
 * refused.
 */
async function main(): Promise<number> {
  if (asked.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const folder = dataFolder();
  if (folder === null) {
    process.stdout.write("The recorded sessions are absent (THREADFOLD_DATA): nothing was checked.\n");
    return 0;
  }
  const files = recordedFiles(folder);
  const cells = (asked.sample ? sampledWireCells(files) : wireCells(files)).filter(isAsked);
  if (cells.length === 0) throw new Error(`No run has the format ${asked.format?.join(", ")}.`);
  if (asked.part !== undefined) return runPart(cells, asked.part);
  const parts = availableParallelism();
  const lists = await Promise.all(Array.from({ length: parts }, (_, index) => collect(`${index}/${parts}`)));
  const names = files.map(({ name }) => name);
  const results = lists.flat().sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  process.stdout.write(`${wireMatrixTable(results)}\n`);
  const isWhole = results.length === cells.length;
  if (!isWhole) process.stderr.write(`Only ${results.length} of ${cells.length} runs finished.\n`);
  return isWhole && results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

const isAsked = ({ format }: WireCell): boolean => asked.format === undefined || asked.format.includes(format);

/** Runs the files of one part and prints one line of JSON for each cell. */
async function runPart(cells: readonly WireCell[], part: string): Promise<number> {
  const [index, parts] = part.split("/").map(Number) as [number, number];
  const files = [...new Set(cells.map(({ file }) => file))];
  const own = new Set(files.filter((_, position) => position % parts === index));
  const results = runWireCells(cells.filter(({ file }) => own.has(file)));
  for await (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
  return 0;
}

async function collect(part: string): Promise<readonly WireResult[]> {
  const given = process.argv.slice(2);
  const worker = spawn(process.execPath, [...process.execArgv, import.meta.filename, ...given, PART + part], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const results: WireResult[] = [];
  for await (const line of createInterface({ input: worker.stdout })) results.push(JSON.parse(line) as WireResult);
  return results;
}

/**
 * Returns the matrix as tables: the number of runs that hold for each session and format, and the same by preset, model
 * and budget. Failures are listed run by run.
 */
function wireMatrixTable(results: readonly WireResult[]): string {
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

/**
 * Returns a table with a row per group and a column per format: runs that hold out of all runs, and their total time.
 */
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

process.exitCode = await main();
