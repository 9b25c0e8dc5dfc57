import { join, resolve } from "node:path";
import { PRESETS } from "threadfold";
import { probeFacts } from "./probe-facts.ts";
import { type ProbeTally, probePreset } from "./probe-preset.ts";

/**
 * Probes late-use facts: at cuts anywhere between the message that shows a fact and the call that needs it, every
 * preset folds to 20 000 tokens without a model. A fact counts as direct if it is in the prompt at every cut, and as
 * reachable if at every cut it is in the prompt or in the first page of one recall whose query is made from the last
 * messages before it is needed. Prints a table; `--json` prints one line per preset; `--misses` lists what was not
 * reached.
 */
const data = resolve(process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"));
const wanted = process.argv.find((argument) => argument.startsWith("--preset="))?.slice("--preset=".length);
const facts = await probeFacts(data);
const json = process.argv.includes("--json");
if (facts.length === 0)
  process.stderr.write("The recorded sessions are absent (THREADFOLD_DATA): nothing was probed.\n");
for (const preset of PRESETS.filter(({ name }) => wanted === undefined || name === wanted)) {
  if (facts.length === 0) break;
  const tally = await probePreset(preset, facts);
  process.stdout.write(json ? `${JSON.stringify(lineOf(tally))}\n` : `${textOf(tally)}\n`);
  if (process.argv.includes("--misses")) for (const miss of tally.misses) process.stdout.write(`  ${miss}\n`);
}

function lineOf({ preset, facts: count, direct, reachable }: ProbeTally) {
  return { preset, facts: count, direct, reachable };
}

function textOf({ preset, facts: count, direct, reachable, tokens }: ProbeTally): string {
  const share = (part: number): string => `${((100 * part) / count).toFixed(1)} %`.padStart(8);
  return `${preset.padEnd(14)} facts ${count}  direct${share(direct)}  reachable${share(reachable)}  recall result ${tokens} tokens at most`;
}
