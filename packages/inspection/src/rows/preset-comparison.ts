import type { ReplaySeries, SimulatedSession } from "@threadfold/simulation";

/** Presets against each other on the same logs: what `threadfold simulate` says of them, figure by figure. */
export interface PresetComparison {
  /** What stood in for every summarizing model. */
  readonly summarizer: string;
  readonly sessions: readonly SimulatedSession[];
  /** Figures that stand together in a table. */
  readonly groups: readonly FigureGroup[];
  /** Budget by budget, largest first, presets in front of the rules that they are compared with. */
  readonly policies: readonly ComparedPolicy[];
  /** Call by call, one for each policy, budget and session. */
  readonly series: readonly ReplaySeries[];
}

/** Figures that stand together: what they are about, the names of their columns, and what those say. */
export interface FigureGroup {
  readonly title: string;
  readonly columns: readonly string[];
  readonly notes: readonly string[];
}

/** What one policy cost and forgot within one budget. */
export interface ComparedPolicy {
  readonly policy: string;
  /** Tokens, four characters each. */
  readonly budget: number;
  /** True for a rule that is no preset. */
  readonly isBaseline: boolean;
  /** Input tokens paid for, where sending everything is 1; null where nothing was counted. */
  readonly bill: number | null;
  /** Of what calls used and had last seen long ago, the share that stood in the prompt; null where there was none. */
  readonly remembered: number | null;
  /** Its figures as people read them, by group and column. */
  readonly figures: readonly (readonly string[])[];
}
