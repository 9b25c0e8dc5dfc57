import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { keptResults } from "./bench-results.ts";
import { docsPage, type PausesResults } from "./docs-page.ts";
import type { FleetResults } from "./fleet-table.ts";
import type { FoldsResults } from "./folds-table.ts";
import type { PeersResults } from "./peers-results.ts";
import type { SpeedResults } from "./speed-results.ts";
import type { StartResults } from "./start-table.ts";
import type { StorageResults } from "./storage-table.ts";

/** Writes `docs/benchmarks.md` from the latest results of the benches on this machine; `--stdout` prints it instead. */
const PAGE = resolve(import.meta.dirname, "../../../docs/benchmarks.md");

const peers = keptResults<PeersResults>("peers");
const speed = keptResults<SpeedResults>("speed");
const folds = keptResults<FoldsResults>("folds");
const start = keptResults<StartResults>("start");
const storage = keptResults<StorageResults>("storage");
const fleet = keptResults<FleetResults>("fleet");
const pauses = keptResults<PausesResults>("pauses");
const before = existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
const measured = { peers, speed, folds, start, storage, fleet, pauses };
const page = docsPage({ ...measured, before });
if (Object.values(measured).every((results) => results === null)) {
  process.stderr.write(
    "Nothing has been measured here yet: run `npm run bench:peers` and `npm run bench:speed` first.\n",
  );
  process.exitCode = 1;
} else if (process.argv.includes("--stdout")) process.stdout.write(page);
else {
  mkdirSync(dirname(PAGE), { recursive: true });
  writeFileSync(PAGE, page);
  process.stderr.write(`Wrote ${PAGE}.\n`);
}
