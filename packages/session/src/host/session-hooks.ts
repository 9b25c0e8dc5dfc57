import type {
  AgentThread,
  Authority,
  CompactionCause,
  CompactionNotice,
  CompactionOutcome,
  CompactionPlan,
  MessageInput,
  Summarizer,
  ThreadId,
} from "@threadfold/core";

/** The folds that a hook is called for; all of them when omitted (L14). */
export type HookMatcher = CompactionCause | readonly CompactionCause[];

/** A host function that is called at one point of a fold. */
export interface Hook<Input, Result> {
  /** Its name in events. */
  readonly name: string;
  readonly matcher?: HookMatcher;
  /**
   * Called at its point of the fold. An error that it throws is reported as an event, and the fold continues as if the
   * hook did not exist (L21).
   */
  readonly run: (input: Input) => Result | Promise<Result>;
}

/** What a pre-compact hook is told about the fold that is due. */
export interface PreCompactInput {
  readonly threadId: ThreadId;
  readonly foldId: string;
  readonly cause: CompactionCause;
  /** Why the fold is due, as a sentence. */
  readonly reason: string;
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
  /** Tokens of the request under the current plan, and the maximum that it may have. */
  readonly tokens: number;
  readonly budgetLimit: number;
  /** What the caller of `compact` asked the summary to pay attention to. */
  readonly instructions?: string;
  /** Aborts when the fold is aborted or the hook takes too long. */
  readonly signal: AbortSignal;
}

/**
 * A pre-compact hook's ruling on a fold. Rulings combine in order: the first veto ends the fold, the last summary wins.
 */
export interface PreCompactRuling {
  /** Vetoes the fold, with the reason. */
  readonly veto?: string;
  /** Texts to keep word for word. They are pinned before anything is folded. */
  readonly pins?: readonly { readonly text: string; readonly authority?: Authority }[];
  /** What the summary should pay attention to, in addition to the caller's instructions. */
  readonly instructions?: string;
  /**
   * The summary itself: a text, used for each span that is summarized, or a function that summarizes a span. It is
   * trusted as the host's own: `summaryChecks` do not apply to it, and pins stay next to it whatever it says.
   */
  readonly summary?: string | Summarizer["summarize"];
}

/** Called once before a fold that is due, even if the fold is retried. Must not wait for `prepare` or `compact`. */
export type PreCompactHook = Hook<PreCompactInput, PreCompactRuling | undefined>;

/** What a post-compact hook is told about the plan that was committed. */
export interface PostCompactInput {
  readonly threadId: ThreadId;
  readonly foldId: string;
  readonly cause: CompactionCause;
  readonly outcome: CompactionOutcome;
  readonly plan: CompactionPlan;
  readonly signal: AbortSignal;
}

/** Called after a plan has been committed. */
export type PostCompactHook = Hook<PostCompactInput, unknown>;

/** What a session-start hook is told about the context that starts over after a fold. */
export interface SessionStartInput {
  readonly threadId: ThreadId;
  readonly source: "compact";
  readonly cause: CompactionCause;
  readonly plan: CompactionPlan;
  readonly signal: AbortSignal;
}

/**
 * What a session-start hook adds to a context that starts over: messages to append to the thread. Texts for every
 * request belong in the frame.
 */
export interface SessionStartAddition {
  readonly messages: readonly MessageInput[];
}

/** Called with the source `compact` after a plan has been committed. */
export type SessionStartHook = Hook<SessionStartInput, SessionStartAddition | undefined>;

/** Called with the notice that marks the boundary between what was folded and what follows. */
export type BoundaryHook = Hook<CompactionNotice, unknown>;

/** Host functions that are called around a fold, each list in order. */
export interface SessionHooks {
  readonly preCompact?: readonly PreCompactHook[];
  readonly postCompact?: readonly PostCompactHook[];
  readonly sessionStart?: readonly SessionStartHook[];
  readonly boundary?: readonly BoundaryHook[];
  /** Time limit for one hook, in milliseconds; a hook that exceeds it counts as having thrown. 60 000 by default. */
  readonly timeoutMilliseconds?: number;
}
