import type {
  AgentThread,
  ArtifactId,
  ContextCompactionConfig,
  JsonValue,
  Message,
  PlanRecords,
  ProviderAwareTokenizer,
  Summarizer,
  ThreadShape,
} from "@threadfold/core";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";

/** What turns proposals into records: bodies and the summarizer. The only stage that spends money. */
export interface Fulfilment {
  readonly thread: AgentThread;
  readonly shape: ThreadShape;
  /** The records of the plan that the fold builds on: what stood behind pointers until now. */
  readonly records: PlanRecords;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly config: ContextCompactionConfig;
  readonly summarizer: Summarizer;
  /** Where the body of a message is that is to be externalized. */
  readonly artifactOf: (ordinal: number) => ArtifactId;
  /** Version of the plan that will hold the records. */
  readonly planVersion: number;
  readonly summaryMaxTokens: number;
  /** Takes secrets out of what code writes into summaries; nothing is taken out without it. */
  readonly redact?: Redact;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
  /** Called when the summarizer failed and a summary without it took its place. */
  readonly onSummarizerFailure: (problem: string) => void;
  /** Called when a summary was made that took `instructions` into account. */
  readonly onInstructionsUsed: () => void;
}

/** Takes secrets out of a value at any depth. */
export type Redact = <Value extends JsonValue>(value: Value) => Promise<Value>;

/** The messages of a proposal, bodies included. */
export function messagesOf(proposal: Pick<CompactionProposal, "ordinals">, { thread }: Fulfilment): readonly Message[] {
  return proposal.ordinals.map((ordinal) => thread.messageAt(ordinal) as Message);
}
