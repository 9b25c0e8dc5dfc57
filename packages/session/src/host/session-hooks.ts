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

/** For which folds a hook is called; for all of them when it is left out (L14). */
export type HookMatcher = CompactionCause | readonly CompactionCause[];

/** Something that a host has called at a moment of a fold. */
export interface Hook<Input, Result> {
  /** How events name it. */
  readonly name: string;
  readonly matcher?: HookMatcher;
  /**
   * Called at its moment. What it throws is reported as an event, and everything goes on as if the hook were not there
   * (L21).
   */
  readonly run: (input: Input) => Result | Promise<Result>;
}

/** The fold that is due, as a hook is told about it. */
export interface PreCompactInput {
  readonly threadId: ThreadId;
  readonly foldId: string;
  readonly cause: CompactionCause;
  /** Why the fold is due, in a sentence. */
  readonly reason: string;
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
  /** Tokens of the request under the current plan, and the most that it may have. */
  readonly tokens: number;
  readonly budgetLimit: number;
  /** What the caller of `compact` asked the summary to look out for. */
  readonly instructions?: string;
  /** Fires when the fold is aborted or the hook has taken too long. */
  readonly signal: AbortSignal;
}

/** What a hook wants of a fold. Several hooks add up in their order: the first veto ends it, the last summary is taken. */
export interface PreCompactRuling {
  /** Why there must be no fold: a veto. */
  readonly veto?: string;
  /** Texts that are to stay word for word. They are pinned before anything is folded. */
  readonly pins?: readonly { readonly text: string; readonly authority?: Authority }[];
  /** What the summary is to look out for, besides what the caller asked for. */
  readonly instructions?: string;
  /**
   * The summary itself, as a text for each span that is summarized or as a function that summarizes a span. It is the
   * host's own word: it is not looked at by `summaryChecks`, and pins stay next to it whatever it says.
   */
  readonly summary?: string | Summarizer["summarize"];
}

/** Called before a fold that is due, once for it, whatever comes in between. Must not wait for `prepare` or `compact`. */
export type PreCompactHook = Hook<PreCompactInput, PreCompactRuling | undefined>;

/** The plan that was committed, as a hook is told about it. */
export interface PostCompactInput {
  readonly threadId: ThreadId;
  readonly foldId: string;
  readonly cause: CompactionCause;
  readonly outcome: CompactionOutcome;
  readonly plan: CompactionPlan;
  readonly signal: AbortSignal;
}

/** Called after a plan was committed. */
export type PostCompactHook = Hook<PostCompactInput, unknown>;

/** The context that begins anew, as a hook is told about it. */
export interface SessionStartInput {
  readonly threadId: ThreadId;
  readonly source: "compact";
  readonly cause: CompactionCause;
  readonly plan: CompactionPlan;
  readonly signal: AbortSignal;
}

/**
 * What a hook adds to a context that begins anew: messages for the end of the thread. Texts for every request belong in
 * the frame.
 */
export interface SessionStartAddition {
  readonly messages: readonly MessageInput[];
}

/** Called with the source `compact` after a plan was committed. */
export type SessionStartHook = Hook<SessionStartInput, SessionStartAddition | undefined>;

/** Called with the message that marks the boundary between what was folded and what follows. */
export type BoundaryHook = Hook<CompactionNotice, unknown>;

/** What a host has called around a fold, in the order of each list. */
export interface SessionHooks {
  readonly preCompact?: readonly PreCompactHook[];
  readonly postCompact?: readonly PostCompactHook[];
  readonly sessionStart?: readonly SessionStartHook[];
  readonly boundary?: readonly BoundaryHook[];
  /** A hook that takes longer is abandoned, as if it had thrown. 60 000 by default. */
  readonly timeoutMilliseconds?: number;
}
