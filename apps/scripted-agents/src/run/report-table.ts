import type { AgentReport } from "./run-agent.ts";

/** What did not hold in a run, in words; empty when everything held. */
export function brokenPromises(
  { figures, aboveBudget, replayed, recorded, recordsRequests }: AgentReport,
  modelCalls: number,
): readonly string[] {
  return [
    ...(figures.answered < modelCalls ? [`only ${figures.answered} of ${modelCalls} calls were answered`] : []),
    ...figures.illegal.map((rule) => `an illegal request: ${rule}`),
    ...(figures.withoutRule > 0 ? [`${figures.withoutRule} requests without the user's rule`] : []),
    ...(aboveBudget + figures.overBudget > 0 ? [`${aboveBudget + figures.overBudget} requests above the budget`] : []),
    ...(replayed < recorded || (recordsRequests && recorded === 0)
      ? [`${replayed} of ${recorded} requests replayed`]
      : []),
  ];
}

const COLUMNS = "host calls illegal over norule faults folds cache median p99 first last replayed".split(" ");

/** The runs as a table for people. `first` and `last` are medians of the first and last quarter, in ms per turn. */
export function reportTable(reports: readonly AgentReport[]): string {
  const rows = [COLUMNS, ...reports.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n");
}

const NOTHING = "-";

function rowOf({ host, figures, aboveBudget, folds, turnTimes, ...report }: AgentReport): readonly string[] {
  const quarter = Math.ceil(turnTimes.length / 4);
  const milliseconds = (times: readonly number[], share: number): string =>
    quantile(times, share)?.toFixed(2) ?? NOTHING;
  return [
    host,
    `${figures.answered}`,
    `${figures.illegal.length}`,
    `${aboveBudget + figures.overBudget}`,
    `${figures.withoutRule}`,
    `${figures.faults}`,
    `${folds}`,
    `${(figures.cacheHitRate * 100).toFixed(1)}%`,
    milliseconds(turnTimes, 0.5),
    milliseconds(turnTimes, 0.99),
    milliseconds(turnTimes.slice(0, quarter), 0.5),
    milliseconds(turnTimes.slice(-quarter), 0.5),
    report.recordsRequests ? `${report.replayed}/${report.recorded}` : NOTHING,
  ];
}

function quantile(figures: readonly number[], share: number): number | undefined {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
