import { keepResults } from "./bench-results.ts";
import { comparePolicies } from "./compare-policies.ts";
import { peersTable } from "./peers-table.ts";

/**
 * Replays every recorded session under our presets, the baselines and the peers, side by side. `--json` prints the
 * figures for machines; for the other options see `comparePolicies`. A full run is kept for `bench:docs`.
 */
const { results, isWhole } = await comparePolicies([100_000, 50_000, 20_000]);
// Only a full run represents all policies; a partial one would replace it on the page.
if (isWhole) keepResults("peers", results);
process.stdout.write(process.argv.includes("--json") ? `${JSON.stringify(results)}\n` : `${peersTable(results)}\n`);
if (results.policies.every(({ requests }) => requests === 0)) process.exitCode = 1;
