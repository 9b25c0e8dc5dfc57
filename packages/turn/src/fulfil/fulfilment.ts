import type {
  AgentThread,
  ArtifactId,
  ContextCompactionConfig,
  JsonValue,
  Message,
  NormalizationChange,
  PlanRecord,
  PlanRecords,
  ProviderAwareTokenizer,
  SpanReference,
  Summarizer,
  ThreadShape,
} from "@threadfold/core";
import type { CompactionProposal, CompactionStrategy } from "@threadfold/strategies";
import type { Redact } from "../state/turn-state.ts";

/** What turns proposals into records: bodies and the summarizer. The only stage that spends money. */
export interface Fulfilment {
  readonly thread: AgentThread;
  readonly shape: ThreadShape;
  /** The records of the plan that the fold builds on: what stood behind pointers until now. */
  readonly records: PlanRecords;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly config: ContextCompactionConfig;
  readonly summarizer: Summarizer;
  /** Where the body of a message is stored: each that is to be externalized, and those that cannot be had again. */
  readonly artifactOf: (ordinal: number) => ArtifactId | undefined;
  /** The strategies of the fold: those that make their own records are asked for them. */
  readonly ladder: readonly CompactionStrategy[];
  /** Stores a text that is made of messages. */
  readonly storeText: (text: string, messages: readonly Message[]) => Promise<ArtifactId>;
  /** Called where a record is otherwise than its strategy wanted it. */
  readonly onChange: (change: NormalizationChange) => void;
  /** Version of the plan that will hold the records. */
  readonly planVersion: number;
  readonly summaryMaxTokens: number;
  /** Takes secrets out of what code writes into summaries; nothing is taken out without it. */
  readonly redact?: Redact;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
  /** True to end the fold when the summarizer fails, in the place of a summary without it. */
  readonly keepsOnFailure?: boolean;
  /** Called when the summarizer failed and a summary without it took its place. */
  readonly onSummarizerFailure: (problem: string) => void;
  /** Called when a summary was made that took `instructions` into account. */
  readonly onInstructionsUsed: () => void;
}

/** The messages of a proposal, bodies included. */
export function messagesOf(proposal: Pick<CompactionProposal, "ordinals">, { thread }: Fulfilment): readonly Message[] {
  return proposal.ordinals.map((ordinal) => thread.messageAt(ordinal) as Message);
}

/** The messages of a span that the thread has; those that a fold leaves out are not among them. */
export const knownOrdinals = (span: SpanReference, shape: ThreadShape): readonly number[] =>
  shape.ordinalsOf(span) ?? span.messageIds.flatMap((id) => shape.headerOf(id)?.ordinal ?? []);

/** What every record takes over from its proposal. */
export function recordBase(
  proposal: CompactionProposal,
  { shape, planVersion }: Fulfilment,
): Pick<PlanRecord, "span" | "strategy" | "reason" | "sincePlanVersion" | "originalTokens"> {
  return {
    span: shape.spanOf(proposal.ordinals),
    strategy: proposal.strategy,
    reason: proposal.reason,
    sincePlanVersion: planVersion,
    originalTokens: shape.tokensOf(proposal.ordinals),
  };
}

/** The arguments of the call that a tool message answers; null when the thread has no such call. */
export function callInput(message: Message, thread: AgentThread, shape: ThreadShape): JsonValue {
  const part = message.parts[0];
  if (part?.type !== "tool-result") return null;
  for (const ordinal of shape.groupOf(message.ordinal).ordinals) {
    for (const call of thread.messageAt(ordinal)?.parts ?? []) {
      if (call.type === "tool-call" && call.callId === part.result.callId) return call.input;
    }
  }
  return null;
}
