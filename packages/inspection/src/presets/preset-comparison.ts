import {
  ANSWER_COLUMNS,
  ANSWER_NOTES,
  FIGURE_COLUMNS,
  FIGURE_NOTES,
  type FigureColumn,
  MEMORY_COLUMNS,
  MEMORY_NOTES,
  type Simulation,
} from "@threadfold/simulation";
import type { PresetComparison } from "../rows/preset-comparison.ts";

interface Group {
  readonly title: string;
  readonly columns: readonly FigureColumn[];
  readonly notes: readonly string[];
}

const GROUPS: readonly Group[] = [
  { title: "What it costs, and what it forgets", columns: FIGURE_COLUMNS, notes: FIGURE_NOTES },
  { title: "How much of the work is remembered, in percent", columns: MEMORY_COLUMNS, notes: MEMORY_NOTES },
  { title: "What one query brings back", columns: ANSWER_COLUMNS, notes: ANSWER_NOTES },
];

/**
 * Turns a simulation into rows of a page. Policies without figures from any session are left out.
 *
 * @param presets names of the policies that are presets; all others are rules that they are compared with.
 */
export function presetComparison(simulation: Simulation, presets: ReadonlySet<string>): PresetComparison {
  const { summarizer, sessions, series } = simulation;
  const counted = simulation.policies.filter((figures) => figures.sessions > 0);
  return {
    ...{ summarizer, sessions, series },
    groups: GROUPS.map(({ title, columns, notes }) => ({
      title,
      notes,
      columns: columns.map((column) => column.title),
    })),
    policies: counted.map((figures) => ({
      policy: figures.policy,
      budget: figures.budget,
      isBaseline: !presets.has(figures.policy),
      bill: figures.bill.a,
      remembered: figures.coldRecall.direct,
      figures: GROUPS.map(({ columns }) => columns.map(({ text }) => text(figures))),
    })),
  };
}
