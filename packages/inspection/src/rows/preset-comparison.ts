import type { ReplaySeries, SimulatedSession } from "@threadfold/simulation";

/** A comparison of presets on the same logs: the results of `threadfold simulate`, figure by figure. */
export interface PresetComparison {
  /** The summarizer that stood in for every summarizing model. */
  readonly summarizer: string;
  readonly sessions: readonly SimulatedSession[];
  /** Figures that are shown together in a table. */
  readonly groups: readonly FigureGroup[];
  /** Ordered by budget, largest first, with presets before the rules that they are compared with. */
  readonly policies: readonly ComparedPolicy[];
  /** Figures per call, one series for each policy, budget and session. */
  readonly series: readonly ReplaySeries[];
}

/** Figures that are shown together: their subject, the column titles, and notes that explain the columns. */
export interface FigureGroup {
  readonly title: string;
  readonly columns: readonly string[];
  readonly notes: readonly string[];
}

/** The cost of one policy within one budget, and what it forgot. */
export interface ComparedPolicy {
  readonly policy: string;
  /** In tokens of four characters each. */
  readonly budget: number;
  /** True for a rule that is not a preset. */
  readonly isBaseline: boolean;
  /** Input tokens paid for, relative to sending everything; null if nothing was counted. */
  readonly bill: number | null;
  /** Share of the content used by calls, but last seen long ago, that was in the prompt; null if there was none. */
  readonly remembered: number | null;
  /** Its figures as text for people, by group and column. */
  readonly figures: readonly (readonly string[])[];
}
