import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type CellDepth, type CellResult, FORMATS, matrixCells, runCell, sampledMatrixCells } from "./matrix.ts";
import { dataFolder, recordedFiles } from "./recorded-files.ts";

/** The arguments that make a process a worker, with the depth to which it checks each session. */
const WORKERS: Readonly<Record<string, CellDepth>> = { "--fold": "fold", "--fold-and-check": "fold-and-check" };
/** Selects an eighth of the cells. */
const SAMPLE = "--sample";
const isSample = process.argv.includes(SAMPLE);
const named = process.argv.slice(2).filter((argument) => WORKERS[argument] === undefined && argument !== SAMPLE);
const formats = named.length === 0 ? FORMATS : named;

/**
 * Folds every recorded session at every budget in every format, twice, in two processes with different time zones and
 * locales, and compares the requests; one of them also checks the contents of its stores afterwards. Formats may be
 * given as arguments, or `--sample` for an eighth of all cells. Prints the table; exits with 1 when anything that must
 * hold does not.
 */
async function main(): Promise<number> {
  const folder = dataFolder();
  if (folder === null) {
    process.stdout.write("The recorded sessions are absent (THREADFOLD_DATA): nothing was folded.\n");
    return 0;
  }
  const [depth] = process.argv.flatMap((argument) => WORKERS[argument] ?? []);
  if (depth !== undefined) return runWorker(folder, depth);
  const [first, second] = await Promise.all([
    collect("--fold-and-check", { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8" }),
    collect("--fold", { TZ: "America/St_Johns", LC_ALL: "C" }),
  ]);
  const results = first.map((result, index) => withDigestCheck(result, second[index]));
  process.stdout.write(`${matrixTable(results)}\n`);
  const failed = results.filter((result) => result.problems.length > 0);
  const unequal = results.filter((result, index) => result.digest !== second[index]?.digest).length;
  const infeasible = results.filter((result) => result.exitCode === 6);
  process.stdout.write(
    `\n${results.length} runs over ${new Set(results.map((result) => result.name)).size} sessions: ` +
      `${results.length - failed.length} hold, ${failed.length} fail, ${infeasible.length} do not fit because of what may not be folded; ` +
      `${results.length - unequal} of ${results.length} requests are identical in two processes.\n`,
  );
  return failed.length === 0 && results.length > 0 ? 0 : 1;
}

/** Runs every cell and prints one line of JSON for each. */
async function runWorker(folder: string, depth: CellDepth): Promise<number> {
  const files = recordedFiles(folder);
  for (const cell of isSample ? sampledMatrixCells(files) : matrixCells(files, formats)) {
    process.stdout.write(`${JSON.stringify(await runCell(cell, depth))}\n`);
  }
  return 0;
}

async function collect(
  worker: keyof typeof WORKERS,
  environment: Readonly<Record<string, string>>,
): Promise<readonly CellResult[]> {
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, worker, ...process.argv.slice(2)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const results: CellResult[] = [];
  for await (const line of createInterface({ input: child.stdout })) results.push(JSON.parse(line) as CellResult);
  return results;
}

function withDigestCheck(result: CellResult, other: CellResult | undefined): CellResult {
  if (other !== undefined && other.digest === result.digest && other.exitCode === result.exitCode) return result;
  return { ...result, problems: [...result.problems, "another process made a different request"] };
}

/** Returns the matrix as a table, with a row for each session, budget and format. */
function matrixTable(results: readonly CellResult[]): string {
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

process.exitCode = await main();
