import type { StructuredSummary, SummarizeRequest, SummaryChange } from "@threadfold/core";

/** A summary that asks to be accepted: what was asked, what came back, and what it comes to. */
export interface SummaryProposal {
  readonly request: SummarizeRequest;
  readonly changes: readonly SummaryChange[];
  /** The summary before, with the changes merged into it. */
  readonly summary: StructuredSummary;
}

/** One condition on a summary before it is accepted. */
export interface SummaryCheck {
  /** Stands in the failure's details as its reason. */
  readonly name: string;
  /** What is wrong, in a few words, or null. */
  problem(proposal: SummaryProposal): string | null | Promise<string | null>;
}
