import type { NewItem, SummarySection } from "@threadfold/core";

/** An item that wants to be in a summary. */
export type Candidate = {
  [Section in SummarySection]: {
    readonly section: Section;
    readonly item: NewItem<Section>;
    /** Within a section, what is worth more is kept first. Figures of different sections do not compare. */
    readonly worth: number;
    /** Id of the previous summary's item that this one takes the place of, on evidence in the span. */
    readonly supersedes?: string;
    /** Set on what stands in the summary whatever its section's share, as long as the whole has room for it. */
    readonly sure?: boolean;
    /** What an identifier or its line names, with the odds that each is needed again: they decide instead of a worth. */
    readonly names?: ReadonlyMap<string, number>;
    /** Place among all that was found; set when candidates are ranked. */
    readonly sequence?: number;
  };
}[SummarySection];
