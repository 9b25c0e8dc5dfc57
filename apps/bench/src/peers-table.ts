import {
  ANSWER_COLUMNS,
  ANSWER_NOTES,
  FIGURE_COLUMNS,
  FIGURE_NOTES,
  type FigureColumn,
  MEMORY_COLUMNS,
  MEMORY_NOTES,
} from "@threadfold/simulation";
import type { PeersResults } from "./peers-results.ts";
import { textTable } from "./text-table.ts";

/** Returns the comparison as a table for people, one block per budget. */
export function peersTable({ policies, absent, givenUp, sessions, seconds }: PeersResults): string {
  const budgets = [...new Set(policies.map(({ budget }) => budget))];
  const blocks = budgets.flatMap((budget) => {
    const rows = policies.filter((figures) => figures.budget === budget);
    const title = `budget ${budget.toLocaleString("en-US")}, ${Math.max(...rows.map((row) => row.sessions))} sessions`;
    const table = (columns: readonly FigureColumn[]): string => {
      const cells = rows.map((figures) => [figures.policy, figures.kind, ...columns.map(({ text }) => text(figures))]);
      return textTable([[title, "", ...columns.map((column) => column.title)], ...cells], 2);
    };
    return [table(FIGURE_COLUMNS), table(MEMORY_COLUMNS), table(ANSWER_COLUMNS)];
  });
  return [
    ...blocks,
    [...FIGURE_NOTES, ...MEMORY_NOTES, ...ANSWER_NOTES].join("\n"),
    ...(absent.length > 0
      ? [`Not compared:\n${absent.map(({ name, reason }) => `  ${name}: ${reason}`).join("\n")}`]
      : []),
    ...policies.flatMap(({ policy, budget, throws, problems }) =>
      throws === 0 ? [] : [`${policy} at ${budget} threw ${throws} times, first: ${problems[0]}`],
    ),
    ...givenUp.map(
      ({ policy, budget, session, reason }) => `Given up: ${policy} at ${budget} on ${session}: ${reason}`,
    ),
    `${sessions.length} sessions in ${seconds.toFixed(0)} s.`,
  ].join("\n\n");
}
