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
  { title: "What is remembered of the work, in percent", columns: MEMORY_COLUMNS, notes: MEMORY_NOTES },
  { title: "What comes back by one query", columns: ANSWER_COLUMNS, notes: ANSWER_NOTES },
];

/**
 * A simulation as rows of a page. Policies of which no session says anything are left out.
 *
 * @param presets names of those that are presets; every other one is a rule that they are compared with.
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
