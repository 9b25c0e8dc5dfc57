import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where the benches leave their results for `bench:docs`. Not part of the repository. */
const FOLDER = resolve(import.meta.dirname, "../.cache");

/** Keeps the results of a bench. */
export function keepResults(bench: string, results: unknown): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${bench}.json`), `${JSON.stringify(results, null, 2)}\n`);
}

/** Returns the results of a bench's last run on this machine, or null if there was none. */
export function keptResults<Results>(bench: string): Results | null {
  const path = join(FOLDER, `${bench}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Results) : null;
}
