import type { PolicyFigures } from "@threadfold/simulation";
import { comparePolicies } from "./compare-policies.ts";
import { textTable } from "./text-table.ts";

/**
 * Measures what prompts remember of the work, next to their cost: every recorded session under our presets, the
 * baselines and the peers. `--json` prints a line per budget and policy; for the other options see `comparePolicies`.
 */
const { results } = await comparePolicies([50_000, 20_000]);

const NOTES = `Measured at every fifth call once the whole history exceeds the budget, for what is older than ten calls; percent.
ask: what users asked; report: what the agent said it had found or done, not what it merely announced or introduced;
quote: of those, reports with at least one sentence word for word;
handoff: the lines of the newest handoff or compaction summary in the log;
edit: a changed file with names that were changed in it; run: the latest run of a command with its outcome;
need: a name that the call uses with words around it in its source; name: such a name anywhere in the prompt;
recent: such a name that was last seen within ten calls;
bareNames: of what the policy wrote itself, the share that is names in bare lists. bill: sending everything is 1.`;

/** Shares in percent; the bill relative to sending everything. */
const rows = results.policies.filter(({ requests }) => requests > 0).map(rowOf);
process.stdout.write(
  process.argv.includes("--json") ? rows.map((row) => `${JSON.stringify(row)}\n`).join("") : tables(),
);
if (rows.length === 0) process.exitCode = 1;

function rowOf({ budget, policy, bill, memory }: PolicyFigures) {
  const { ask, report, quote, handoff, edit, run, need, name, recent, bareNames } = memory;
  const shares = { ask, report, quote, handoff, edit, run, need, name, recent, bareNames };
  const percents = Object.entries(shares).map(([kind, share]) => [
    kind,
    share === null ? null : rounded(100 * share, 1),
  ]);
  return {
    budget,
    policy,
    bill: bill.a === null ? null : rounded(bill.a, 3),
    ...(Object.fromEntries(percents) as Record<keyof typeof shares, number | null>),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function tables(): string {
  const budgets = [...new Set(rows.map(({ budget }) => budget))];
  const blocks = budgets.map((asked) => {
    const some = rows.filter(({ budget }) => budget === asked);
    const columns = Object.keys(some[0] ?? {}).filter((key) => key !== "budget" && key !== "policy");
    const cells = some.map((row) => [row.policy, ...columns.map((key) => String(row[key as keyof typeof row] ?? "-"))]);
    return textTable([[`budget ${asked.toLocaleString("en-US")}`, ...columns], ...cells]);
  });
  return `${[...blocks, NOTES, `${results.sessions.length} sessions in ${results.seconds.toFixed(0)} s.`].join("\n\n")}\n`;
}
