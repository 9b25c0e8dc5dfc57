import {
  ANSWER_COLUMNS,
  ANSWER_NOTES,
  FIGURE_COLUMNS,
  FIGURE_NOTES,
  type FigureColumn,
  MEMORY_COLUMNS,
  MEMORY_NOTES,
  type PolicyFigures,
  type Simulation,
} from "@threadfold/simulation";
import { count, figure } from "../output/figures.ts";
import type { Page } from "../output/page.ts";
import { table } from "../output/table.ts";
import { wrap } from "../output/wrap.ts";

/** Figures that a terminal's width has room for; the HTML page and `--json` have them all. */
const COLUMNS = FIGURE_COLUMNS.filter(({ title }) => title !== "sent");

/** A simulation as people read it: one table per budget, presets above what they are compared with. */
export function simulatePage(simulation: Simulation, { paint, columns }: Page): string {
  const budgets = [...new Set(simulation.policies.map(({ budget }) => budget))];
  const tables = budgets.map((budget) => {
    const rows = simulation.policies.filter((figures) => figures.budget === budget);
    const sessions = rows[0]?.sessions ?? 0;
    const title = `${figure(budget)} tokens: ${count(sessions, "session")}, ${count(callsAt(simulation, budget), "call")}`;
    if (sessions === 0) return `${paint("bold", title)}\n  every session fits into this budget`;
    const section = (heading: string, columns: readonly FigureColumn[]): readonly string[] => [
      paint("bold", heading),
      ...rowsOf(rows, columns).map((line) => `  ${line}`),
    ];
    return [
      ...section(title, COLUMNS),
      ...section("What is remembered of the work, in percent", MEMORY_COLUMNS),
      ...section("What comes back by one query", ANSWER_COLUMNS),
    ].join("\n");
  });
  const notes = [...FIGURE_NOTES, ...MEMORY_NOTES, ...ANSWER_NOTES]
    .flatMap((note) => wrap(note, columns))
    .map((line) => paint("dim", line));
  return [...tables, notes.join("\n")].join("\n\n");
}

function rowsOf(rows: readonly PolicyFigures[], columns: readonly FigureColumn[]): readonly string[] {
  const head = ["policy", ...columns.map(({ title }) => title)];
  const body = rows.map((figures) => [figures.policy, ...columns.map(({ text }) => text(figures))]);
  return table([head, ...body], ["left", ...columns.map(() => "right" as const)]);
}

const callsAt = ({ sessions }: Simulation, budget: number): number =>
  sessions.filter(({ budgets }) => budgets.includes(budget)).reduce((sum, { calls }) => sum + calls, 0);
