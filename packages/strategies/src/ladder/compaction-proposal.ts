import type { BodyPreview, ClearTarget, KeptEnds, SummarizationRecord } from "@threadfold/core";

interface ProposalBase {
  /** Name of the strategy. */
  readonly strategy: string;
  /** The messages it would fold, ascending. */
  readonly ordinals: readonly number[];
  /** What it would free, in tokens, less what stands in its place. An estimate: nothing is committed on it. */
  readonly estimatedTokensFreed: number;
  readonly reason: string;
}

/** What a strategy would fold (seed 002). Proposals come before money: nothing is summarized or stored until they are chosen. */
export type CompactionProposal =
  | (ProposalBase & { readonly action: "externalize" })
  | (ProposalBase & {
      readonly action: "clear";
      readonly targets: readonly ClearTarget[];
      readonly keep?: KeptEnds | BodyPreview;
    })
  | (ProposalBase & {
      readonly action: "summarize";
      /** Summaries inside the span that the new one builds on, oldest first. */
      readonly absorbs: readonly SummarizationRecord[];
      /**
       * Messages before the span that the summary stands for as well, ascending: others stay between them, so that the prompt
       * lets go of these by proposals of their own.
       */
      readonly gathers?: readonly number[];
      /** Messages that stay and that the summarizer may read beside the span, ascending (seed 004, overlap). */
      readonly overlap?: readonly number[];
    })
  | (ProposalBase & { readonly action: "drop" });
