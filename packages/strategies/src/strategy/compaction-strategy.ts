import {
  type ArtifactId,
  type BodyPreview,
  type ClearRecord,
  type ClearTarget,
  type ContextCompactionConfig,
  type DropRecord,
  type ExternalizationRecord,
  finishSteps,
  type KeptEnds,
  type Message,
  type MessageGroup,
  type MessageHeader,
  type PlanRecord,
  type ProbeVerdict,
  type SpanReference,
  type Steps,
  type SummarizationRecord,
  type SummaryChange,
  type ThreadShape,
} from "@threadfold/core";

interface ProposalBase {
  /** Name of the strategy, by which its `execute` is found again. */
  readonly strategy: string;
  /** Ordinals of the messages that it would fold, ascending. */
  readonly ordinals: readonly number[];
  /**
   * Tokens that it would free, minus whatever replaces the messages. An estimate: no commit relies on it. A summary
   * that gathers messages dropped by other proposals may take more than its own span; together they free tokens.
   */
  readonly estimatedTokensFreed: number;
  readonly reason: string;
}

/** What a strategy would fold. Nothing is spent on a proposal: until it is chosen, nothing is summarized or stored. */
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
       * Ordinals of earlier messages that the summary also stands for, ascending. Other messages stay between them and
       * the span, so separate proposals drop them from the prompt.
       */
      readonly gathers?: readonly number[];
      /** The most tokens that the summary may take, if it must be shorter than others to free anything. */
      readonly maxTokens?: number;
      /** Ordinals of messages that stay and that the summarizer may read in addition to the span, ascending. */
      readonly overlap?: readonly number[];
    })
  | (ProposalBase & { readonly action: "drop" });

/** What holds a message in a draft: a record of the current plan, or a proposal that was chosen in this fold. */
export type Hold = PlanRecord | CompactionProposal;

/** What a strategy sees: headers, groups and what is folded so far. It never sees message bodies. */
export interface StrategyContext {
  readonly shape: ThreadShape;
  /** The groups that may be folded now, oldest first: on the main branch, not recent, not indispensable. */
  readonly foldable: readonly MessageGroup[];
  /** Returns what holds a message in the draft; undefined while the message is shown unchanged. */
  readonly heldBy: (ordinal: number) => Hold | undefined;
  /** Returns the tokens of a message as the draft renders it. */
  readonly renderedTokens: (header: MessageHeader) => number;
  readonly config: ContextCompactionConfig;
  /** The most tokens that a summary may take in this fold. */
  readonly summaryMaxTokens: number;
  /** Tokens still to be freed. */
  readonly needed: number;
  /** Characters that stay at each end of a truncated body. Undefined while nothing needs truncation. */
  readonly truncateTo?: number;
  /**
   * Returns the result of checking a replayable result's source; undefined before the check, which runs before anything
   * is committed. Absent when nothing can be verified.
   */
  readonly replayVerdict?: (ordinal: number) => ProbeVerdict | undefined;
}

/** What a strategy that makes its own records gets: message bodies, and access to the artifact store. */
export interface StrategyExecution {
  /** The messages of the proposal, in order. */
  readonly messages: readonly Message[];
  readonly span: SpanReference;
  /** The most tokens that a summary may take. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
  /** Puts a text into the artifact store, marked as sensitive as the most sensitive of the messages. */
  readonly store: (text: string) => Promise<ArtifactId>;
  readonly signal?: AbortSignal;
}

/**
 * The part of a record that a strategy fills in itself. The library adds what every record of that kind needs: the
 * span, the key fields that tools declared, the location of stored bodies, and the author of a summary.
 */
export type OwnRecord =
  | ({
      readonly action: "externalize";
      /**
       * An id returned by `store`. Without it the pointer refers to the body of the message, which is always stored.
       */
      readonly artifactId?: ArtifactId;
    } & Partial<Pick<ExternalizationRecord, "form" | "summary" | "rehydrateHint">>)
  | Pick<ClearRecord, "action" | "preservedFields">
  | { readonly action: "summarize"; readonly changes: readonly SummaryChange[] }
  | Pick<DropRecord, "action" | "keywords">;

/** One rung of the ladder. It proposes what to fold, and acts only if it makes its own records (`execute`). */
export interface CompactionStrategy {
  readonly name: string;
  /** Lower comes first when the ladder sets no order of its own. */
  readonly aggressiveness: number;
  /**
   * True when it only empties bodies and leaves every message in its place, so that it may be given part of a group.
   */
  readonly keepsMessages?: true;
  /** True when the strategy does what its policy promises without a summarizer, so that the floor starts with it. */
  readonly leadsFloor?: true;
  /** Returns what it would fold to free the tokens needed, oldest first. Pure. */
  analyze(context: StrategyContext): readonly CompactionProposal[];
  /**
   * Makes the record for one of its proposals. The action may have changed since `analyze`: a result that may not be
   * cleared arrives as `externalize`. Null leaves the messages unchanged; if it throws, the library makes the record. A
   * fold may call it several times for the same proposal.
   */
  execute?(proposal: CompactionProposal, execution: StrategyExecution): Promise<OwnRecord | null>;
}

type Analyze = CompactionStrategy["analyze"];
type AnalyzeInSteps = (context: StrategyContext) => Steps<readonly CompactionProposal[]>;

/** Keyed by the function that does the same at once, so that whoever replaces that one replaces both. */
const inSteps = new WeakMap<Analyze, AnalyzeInSteps>();

/** Returns an `analyze` that {@link analyzeInSteps} can interrupt, because a strategy may look at a very long thread. */
export function interruptible(analyze: AnalyzeInSteps): Analyze {
  const atOnce: Analyze = (context) => finishSteps(analyze(context));
  inSteps.set(atOnce, analyze);
  return atOnce;
}

/** Returns what a strategy would fold, in steps if its `analyze` is {@link interruptible}. */
export function* analyzeInSteps(
  strategy: CompactionStrategy,
  context: StrategyContext,
): Steps<readonly CompactionProposal[]> {
  const steps = inSteps.get(strategy.analyze);
  return steps === undefined ? strategy.analyze(context) : yield* steps(context);
}

/** Messages or groups that are looked at in one step, in a millisecond or less. */
export const AT_A_TIME = 2_048;

/** Tokens of a pointer to externalized content, without the names that it lists. For estimates only. */
export const POINTER_TOKENS = 70;

/** The most tokens that the names listed for a large body take. */
const MAX_NAME_TOKENS = 190;

/** Returns the tokens of a pointer to a body of this many tokens, including the names. For estimates only. */
export const pointerTokens = (bodyTokens: number): number =>
  POINTER_TOKENS + Math.min(MAX_NAME_TOKENS, Math.ceil(bodyTokens / 8));

/** Tokens of the placeholder for a cleared body. For estimates only. */
export const PLACEHOLDER_TOKENS = 40;
