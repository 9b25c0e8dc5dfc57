import {
  type AgentThread,
  type CompactionPlan,
  type DurabilityOf,
  finishSteps,
  type GroupedLedger,
  groupLedger,
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
 */
export function threadState(
  thread: AgentThread,
  tokenizer: ProviderAwareTokenizer,
  durabilityOf: DurabilityOf,
  plan?: CompactionPlan,
): ThreadState {
  return finishSteps(threadStateInSteps(thread, tokenizer, durabilityOf, plan));
}

/** What {@link threadState} returns, in steps. */
export function* threadStateInSteps(
  thread: AgentThread,
  tokenizer: ProviderAwareTokenizer,
  durabilityOf: DurabilityOf,
  plan?: CompactionPlan,
): Steps<ThreadState> {
  const empty = TokenLedger.empty(tokenizer, durabilityOf);
  const hidden = thread.isWhole || plan === undefined ? undefined : yield* hiddenTokens(thread, plan, tokenizer);
  return new CountedThread(thread, yield* empty.extendInSteps(thread, hidden));
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
