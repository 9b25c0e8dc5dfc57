import {
  type AgentThread,
  type DurabilityOf,
  type GroupedThread,
  groupMessages,
  type ProviderAwareTokenizer,
  TokenLedger,
} from "@threadfold/core";

/** A thread with what is derived from it and kept along: counted headers, and groups for whoever folds. */
export interface ThreadState {
  readonly thread: AgentThread;
  readonly ledger: TokenLedger;
  /** Made when a fold first asks for it: a turn that folds nothing must not walk the thread (P9). */
  readonly grouped: GroupedThread;
}

/** Counts a whole thread. */
export function threadState(
  thread: AgentThread,
  tokenizer: ProviderAwareTokenizer,
  durabilityOf: DurabilityOf,
): ThreadState {
  return stateOf(thread, TokenLedger.empty(tokenizer, durabilityOf).extend(thread));
}

/** The state after an append: only new messages are counted. */
export function extendState(state: ThreadState, thread: AgentThread): ThreadState {
  return thread === state.thread ? state : stateOf(thread, state.ledger.extend(thread));
}

function stateOf(thread: AgentThread, ledger: TokenLedger): ThreadState {
  let grouped: GroupedThread | undefined;
  return {
    thread,
    ledger,
    get grouped() {
      grouped ??= groupMessages(ledger.headers);
      return grouped;
    },
  };
}
