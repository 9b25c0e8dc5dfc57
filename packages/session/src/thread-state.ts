import {
  type AgentThread,
  type DurabilityOf,
  type GroupedThread,
  groupMessages,
  type ProviderAwareTokenizer,
  TokenLedger,
} from "@threadfold/core";

/** A thread with everything that is derived from it and kept along: counted headers and groups. */
export interface ThreadState {
  readonly thread: AgentThread;
  readonly ledger: TokenLedger;
  readonly grouped: GroupedThread;
}

/** Counts and groups a whole thread. */
export function threadState(
  thread: AgentThread,
  tokenizer: ProviderAwareTokenizer,
  durabilityOf: DurabilityOf,
): ThreadState {
  const ledger = TokenLedger.empty(tokenizer, durabilityOf).extend(thread);
  return { thread, ledger, grouped: groupMessages(ledger.headers) };
}

/** The state after an append: only new messages are counted. */
export function extendState(state: ThreadState, thread: AgentThread): ThreadState {
  if (thread === state.thread) return state;
  const ledger = state.ledger.extend(thread);
  return { thread, ledger, grouped: groupMessages(ledger.headers) };
}
