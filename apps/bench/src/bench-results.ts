import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where the benches leave what they measured, for `bench:docs`. Not part of the repository. */
const FOLDER = resolve(import.meta.dirname, "../.cache");

/** Keeps what a bench measured. */
export function keepResults(bench: string, results: unknown): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${bench}.json`), `${JSON.stringify(results, null, 2)}\n`);
}

/** What a bench measured when it was last run here, or null when it was not. */
export function keptResults<Results>(bench: string): Results | null {
  const path = join(FOLDER, `${bench}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Results) : null;
}
