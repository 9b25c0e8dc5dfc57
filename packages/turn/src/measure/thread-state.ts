import {
  type AgentThread,
  type CompactionPlan,
  type CountedRun,
  type DurabilityOf,
  finishSteps,
  type GroupedLedger,
  groupLedger,
  type OrdinalRun,
  outlineOf,
  type ProviderAwareTokenizer,
  planRecords,
  type Steps,
  spanStart,
  type TokenEstimate,
  TokenLedger,
  tokenSharesInSteps,
} from "@threadfold/core";

/** A thread with what is derived from it: counted headers, and groups for folding. */
export interface ThreadState {
  readonly thread: AgentThread;
  readonly ledger: TokenLedger;
  /** Computed when a fold first needs it: a turn that folds nothing must not walk the thread (P9). */
  readonly grouped: GroupedLedger;
}

/**
 * Counts a thread.
 *
 * @param plan the plan that a resumed thread continues from: it has the tokens of messages that are not in memory.
 * @param apart what lies between the parts of a resumed thread that were loaded for a fold.
 */
export function threadState(
  thread: AgentThread,
  tokenizer: ProviderAwareTokenizer,
  durabilityOf: DurabilityOf,
  plan?: CompactionPlan,
  apart?: readonly OrdinalRun[],
): ThreadState {
  return finishSteps(threadStateInSteps(thread, tokenizer, durabilityOf, plan, apart));
}

/** What {@link threadState} returns, in steps. */
export function* threadStateInSteps(
  thread: AgentThread,
  tokenizer: ProviderAwareTokenizer,
  durabilityOf: DurabilityOf,
  plan?: CompactionPlan,
  apart: readonly OrdinalRun[] = [],
): Steps<ThreadState> {
  const empty = TokenLedger.empty(tokenizer, durabilityOf);
  if (thread.isWhole || plan === undefined) return new CountedThread(thread, yield* empty.extendInSteps(thread));
  const hidden = yield* hiddenTokens(thread, plan, tokenizer);
  return new CountedThread(thread, yield* empty.extendInSteps(thread, hidden, countedRuns(plan, tokenizer, apart)));
}

/** Returns the parts that a plan hides whose tokens this counter counted when they were folded. */
function countedRuns(
  plan: CompactionPlan,
  { id }: ProviderAwareTokenizer,
  apart: readonly OrdinalRun[],
): readonly CountedRun[] {
  const outlines = planRecords(plan).flatMap(({ span }) => outlineOf(span) ?? []);
  const runs = outlines.flatMap((outline) => (outline.tokenizer === id ? outline.runs : []));
  return runs.flatMap(({ fromOrdinal: from, toOrdinal: to, tokens, unanswered = [] }) => {
    const within = apart.find((part) => from <= part.from && part.to <= to);
    const counted = { from, to, unanswered, ...(within !== undefined && { apart: within }) };
    return tokens === undefined ? [] : [{ ...counted, tokens }];
  });
}

/** Returns the tokens of messages that are not in memory, as counted when they were folded. */
function* hiddenTokens(thread: AgentThread, plan: CompactionPlan, tokenizer: ProviderAwareTokenizer): Steps<number> {
  const removing = planRecords(plan).filter((record) => outlineOf(record.span) !== undefined);
  const starts = removing.flatMap(({ span }) => thread.messageInMemory(spanStart(span)) ?? []);
  let hidden = removing.reduce((sum, { originalTokens }) => sum + originalTokens, 0);
  for (const message of starts) {
    const { shares, overhead } = yield* tokenSharesInSteps(message, tokenizer);
    hidden -= Object.values(shares).reduce((sum, share) => sum + share, overhead);
  }
  return hidden;
}

/** Returns the state after an append; only new messages are counted. */
export function extendState(state: ThreadState, thread: AgentThread): ThreadState {
  return thread === state.thread ? state : new CountedThread(thread, state.ledger.extend(thread));
}

/** What {@link extendState} returns, in steps. */
export function* extendStateInSteps(state: ThreadState, thread: AgentThread): Steps<ThreadState> {
  return thread === state.thread ? state : new CountedThread(thread, yield* state.ledger.extendInSteps(thread));
}

/** Returns the state with all figures in the provider's tokens, which a turn decides and folds with. */
export const inProviderTokens = (state: ThreadState, { slope }: TokenEstimate): ThreadState =>
  slope === 1 ? state : new CountedThread(state.thread, state.ledger.scaled(slope));

/**
 * Returns the tokens of the system messages inside a conversation. Those that it begins with are sent as system text,
 * so the breakdown of a request counts them there already.
 */
export function systemTokensInside(ledger: TokenLedger): number {
  let leading = 0;
  for (let header = ledger.header(0); header?.role === "system"; header = ledger.header(header.ordinal + 1))
    leading += header.tokens;
  return Math.max(0, ledger.systemTokens - leading);
}

// A class, because V8 retains what getters of object literals capture until its next major collection.
class CountedThread implements ThreadState {
  readonly thread: AgentThread;
  readonly ledger: TokenLedger;
  #grouped: GroupedLedger | undefined;

  constructor(thread: AgentThread, ledger: TokenLedger) {
    this.thread = thread;
    this.ledger = ledger;
  }

  get grouped(): GroupedLedger {
    this.#grouped ??= groupLedger(this.ledger);
    return this.#grouped;
  }
}
