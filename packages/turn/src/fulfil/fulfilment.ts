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

/**
 * What turning proposals into records depends on: bodies and the summarizer. This is the only stage that costs money.
 */
export interface Fulfilment {
  readonly thread: AgentThread;
  readonly shape: ThreadShape;
  /** The records of the plan that the fold builds on, including its pointers. */
  readonly records: PlanRecords;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly config: ContextCompactionConfig;
  readonly summarizer: Summarizer;
  /**
   * Returns the artifact of a message's body, if stored: to be externalized, or because it cannot be obtained again.
   */
  readonly artifactOf: (ordinal: number) => ArtifactId | undefined;
  /** The strategies of the fold, some of which make their own records. */
  readonly ladder: readonly CompactionStrategy[];
  /** Stores a text that was made from messages. */
  readonly storeText: (text: string, messages: readonly Message[]) => Promise<ArtifactId>;
  /** Called when a record differs from what its strategy wanted. */
  readonly onChange: (change: NormalizationChange) => void;
  /** Version of the plan that will contain the records. */
  readonly planVersion: number;
  readonly summaryMaxTokens: number;
  /** Redacts secrets in what code writes into summaries; nothing is redacted without it. */
  readonly redact?: Redact;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
  /** True to end the fold when the summarizer fails, instead of using a summary made without it. */
  readonly keepsOnFailure?: boolean;
  /** How long to wait for a strategy that makes its own record, in milliseconds; 180 000 by default. */
  readonly summaryTimeLimitMs?: number;
  /** Names of the strategies that did not answer in time in this fold. Whoever waits for one adds it. */
  readonly unanswering: Set<string>;
  /** Called when the summarizer failed and a summary made without it was used. */
  readonly onSummarizerFailure: (problem: string) => void;
  /** Called when a summary was made that took `instructions` into account. */
  readonly onInstructionsUsed: () => void;
}

/** Returns the messages of a proposal, with their bodies. */
export function messagesOf(proposal: Pick<CompactionProposal, "ordinals">, { thread }: Fulfilment): readonly Message[] {
  return proposal.ordinals.map((ordinal) => thread.messageAt(ordinal) as Message);
}

/** Returns the ordinals of a span's messages, without those that the fold does not look at. */
export const knownOrdinals = (span: SpanReference, shape: ThreadShape): readonly number[] =>
  shape.ordinalsOf(span) ?? span.messageIds.flatMap((id) => shape.headerOf(id)?.ordinal ?? []);

/** Returns the fields that every record takes from its proposal. */
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

/** Returns the arguments of the call that a tool message answers; null when the thread has no such call. */
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
