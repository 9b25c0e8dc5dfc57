import { readFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { resolve } from "node:path";

/** The machine, the time and the versions of a measurement. */
export interface BenchMachine {
  /** ISO 8601, in UTC. */
  readonly date: string;
  readonly threadfold: string;
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
}

/** Returns a description of this machine at this moment. */
export function benchMachine(): BenchMachine {
  const manifest = resolve(import.meta.dirname, "../../../packages/threadfold/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const [first] = cpus();
  return {
    date: new Date().toISOString(),
    threadfold: version,
    node: process.version,
    system: `${type()} ${release()}`,
    processor: first?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
  };
}
