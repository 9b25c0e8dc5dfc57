import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { dataFolder, recordedFiles } from "./recorded-files.ts";
import { runWireCells, type WireResult } from "./run-wire-cells.ts";
import { sampledWireCells, type WireCell, wireCells } from "./wire-cell.ts";
import { wireMatrixTable } from "./wire-matrix-table.ts";

const SAMPLE = "--sample";
const PART = "--part=";

/**
 * Folds recorded sessions under every preset at every budget in every provider's format, and checks each request by the
 * format's table, by its wire schema and by the SDK's own validator where there is one. Every session with
 * THREADFOLD_ALL_SESSIONS; `--sample` runs a part of the cells. Prints the table; exits with 1 when a request is refused.
 */
async function main(): Promise<number> {
  const folder = dataFolder();
  if (folder === null) {
    process.stdout.write("The recorded sessions are absent (THREADFOLD_DATA): nothing was checked.\n");
    return 0;
  }
  const files = recordedFiles(folder);
  const cells = process.argv.includes(SAMPLE) ? sampledWireCells(files) : wireCells(files);
  const part = process.argv.find((argument) => argument.startsWith(PART))?.slice(PART.length);
  if (part !== undefined) return runPart(cells, part);
  const parts = availableParallelism();
  const lists = await Promise.all(Array.from({ length: parts }, (_, index) => collect(`${index}/${parts}`)));
  const names = files.map(({ name }) => name);
  const results = lists.flat().sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  process.stdout.write(`${wireMatrixTable(results)}\n`);
  const isWhole = results.length === cells.length;
  if (!isWhole) process.stderr.write(`Only ${results.length} of ${cells.length} runs came to an end.\n`);
  return isWhole && results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

/** Runs the files of one part and prints one JSON line for each cell. */
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

process.exitCode = await main();
