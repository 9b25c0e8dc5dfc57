import type {
  AgentThread,
  ArtifactStore,
  ContextCompactionConfig,
  Message,
  ProviderAwareTokenizer,
  Summarizer,
  ThreadShape,
} from "@threadfold/core";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";

/** What turns proposals into records: bodies, stores and the summarizer. The only stage that spends money. */
export interface Fulfilment {
  readonly thread: AgentThread;
  readonly shape: ThreadShape;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly config: ContextCompactionConfig;
  readonly summarizer: Summarizer;
  readonly artifacts: ArtifactStore;
  readonly tenantId: string | null;
  /** Version of the plan that will hold the records. */
  readonly planVersion: number;
  /** ISO 8601 time in UTC. */
  readonly now: string;
  readonly summaryMaxTokens: number;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
  /** Called when the summarizer failed and a summary without it took its place. */
  readonly onSummarizerFailure: (problem: string) => void;
}

/** The messages of a proposal, bodies included. */
export function messagesOf(proposal: CompactionProposal, { thread }: Fulfilment): readonly Message[] {
  return proposal.ordinals.map((ordinal) => thread.messageAt(ordinal) as Message);
}
