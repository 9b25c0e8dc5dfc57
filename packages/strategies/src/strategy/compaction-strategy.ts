import type {
  ArtifactId,
  BodyPreview,
  ClearRecord,
  ClearTarget,
  ContextCompactionConfig,
  DropRecord,
  ExternalizationRecord,
  KeptEnds,
  Message,
  MessageGroup,
  MessageHeader,
  PlanRecord,
  ProbeVerdict,
  SpanReference,
  SummarizationRecord,
  SummaryChange,
  ThreadShape,
} from "@threadfold/core";

interface ProposalBase {
  /** Name of the strategy. */
  readonly strategy: string;
  /** The messages it would fold, ascending. */
  readonly ordinals: readonly number[];
  /**
   * What it would free, in tokens, less what stands in its place. An estimate: nothing is committed on it. A summary that
   * gathers what other proposals let go of may take more than its own messages; together they free something.
   */
  readonly estimatedTokensFreed: number;
  readonly reason: string;
}

/** What a strategy would fold. Proposals come before money: nothing is summarized or stored until they are chosen. */
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
      /** Messages that stay and that the summarizer may read besides the span, ascending. */
      readonly overlap?: readonly number[];
    })
  | (ProposalBase & { readonly action: "drop" });

/** What holds a message in a draft: a record of the current plan, or a proposal that was chosen in this fold. */
export type Hold = PlanRecord | CompactionProposal;

/** What a strategy sees: headers, groups and what is folded so far. No body. */
export interface StrategyContext {
  readonly shape: ThreadShape;
  /** The groups that may be folded now, oldest first: on the main branch, not recent, not indispensable. */
  readonly foldable: readonly MessageGroup[];
  /** What holds a message in the draft, or undefined while it is included. */
  readonly heldBy: (ordinal: number) => Hold | undefined;
  /** Tokens of a message as the draft renders it. */
  readonly renderedTokens: (header: MessageHeader) => number;
  readonly config: ContextCompactionConfig;
  /** A summary may take at most this many tokens in this fold. */
  readonly summaryMaxTokens: number;
  /** Tokens that are still to be freed. */
  readonly needed: number;
  /** How many characters stay at each end of a body that is truncated. Undefined while nothing needs truncation. */
  readonly truncateTo?: number;
  /**
   * What a check of a replayable result's source found; undefined before the check, which comes before anything is
   * committed. Absent when nothing can be verified.
   */
  readonly replayVerdict?: (ordinal: number) => ProbeVerdict | undefined;
}

/** What a strategy that makes its own records works with: bodies, and a place to put some. */
export interface StrategyExecution {
  /** The messages of the proposal, in order. */
  readonly messages: readonly Message[];
  readonly span: SpanReference;
  /** Tokens that a summary may take. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
  /** Puts a text into the artifact store, as internal as the most sensitive of the messages. */
  readonly store: (text: string) => Promise<ArtifactId>;
  readonly signal?: AbortSignal;
}

/**
 * What a strategy says of its own in a record. Code adds what every record of the kind owes: the span, key fields that tools
 * declared, where stored bodies are, whose words a summary is.
 */
export type OwnRecord =
  | ({
      readonly action: "externalize";
      /** One that `store` gave; without it the pointer names the body of the message, which is stored in any case. */
      readonly artifactId?: ArtifactId;
    } & Partial<Pick<ExternalizationRecord, "form" | "summary" | "rehydrateHint">>)
  | Pick<ClearRecord, "action" | "preservedFields">
  | { readonly action: "summarize"; readonly changes: readonly SummaryChange[] }
  | Pick<DropRecord, "action" | "keywords">;

/** One rung of the ladder: proposes, and acts only where it makes its own records. */
export interface CompactionStrategy {
  readonly name: string;
  /** Lower comes first when the ladder sets no order of its own. */
  readonly aggressiveness: number;
  /** True when it empties bodies and leaves every message in its place, so that it may be given a part of a group. */
  readonly keepsMessages?: true;
  /** True when it is what the policy promises and asks no summarizer, so that the floor begins with it. */
  readonly leadsFloor?: true;
  /** What it would fold to free what is needed, oldest first. Pure. */
  analyze(context: StrategyContext): readonly CompactionProposal[];
  /**
   * Makes the record of one of its proposals, with the action that the proposal has by then: what may not be cleared comes
   * as `externalize`. Null leaves the messages as they are. Where it throws, code makes the record. A fold may ask several
   * times for the same proposal.
   */
  execute?(proposal: CompactionProposal, execution: StrategyExecution): Promise<OwnRecord | null>;
}

/** What a pointer to externalized content takes in a request without the names in it, in tokens. For estimates only. */
export const POINTER_TOKENS = 70;

/** What the names of a large body take at the most. */
const MAX_NAME_TOKENS = 190;

/** What a pointer to a body of this many tokens takes, names included. For estimates only. */
export const pointerTokens = (bodyTokens: number): number =>
  POINTER_TOKENS + Math.min(MAX_NAME_TOKENS, Math.ceil(bodyTokens / 8));

/** What the placeholder of a cleared body takes in a request, in tokens. For estimates only. */
export const PLACEHOLDER_TOKENS = 40;
