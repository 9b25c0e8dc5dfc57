import {
  type AgentThread,
  actionOf,
  type CompactionPlan,
  type Message,
  type MessageId,
  type PlanRecords,
  removesMessages,
  renderSummary,
  type SummarizationRecord,
} from "@threadfold/core";

/**
 * An event as Spring AI Session lists it: a message of the thread, or one half of the synthetic turn that replaces
 * archived messages.
 */
export type SessionEvent =
  | { readonly synthetic: false; readonly message: Message }
  | {
      readonly synthetic: true;
      /** `user` for the synthetic question, `assistant` for the summary that answers it. */
      readonly role: "user" | "assistant";
      readonly text: string;
      readonly record: SummarizationRecord;
    };

/** The result of a compaction in Spring AI Session's terms (`CompactionResult`). */
export interface CompactionResult {
  /** The remaining events: synthetic ones first, then the kept ones in order. */
  readonly compactedEvents: readonly SessionEvent[];
  /** The events that this compaction removed, without those that an earlier one archived (S21). */
  readonly archivedEvents: readonly Message[];
  /** Number of events that it removed: the length of `archivedEvents`. */
  readonly eventsRemoved: number;
  /** A rough estimate of the tokens saved: the archived tokens minus the growth of the summaries; at least 0. */
  readonly tokensEstimatedSaved: number;
}

/**
 * Describes a fold in Spring AI Session's terms, from the plan before it to the plan after it. Equal plans give the
 * result of a compaction that did nothing. Messages of side branches belong to other sessions and are left out.
 */
export function compactionResult(
  thread: AgentThread,
  before: CompactionPlan,
  after: CompactionPlan,
  countMessage: (message: Message) => number,
): CompactionResult {
  const events = [...thread.messages].filter((message) => message.branch === undefined);
  const archived = events.filter(({ id }) => isArchived(after, id) && !isArchived(before, id));
  const saved = archived.reduce((sum, message) => sum + countMessage(message), 0);
  return {
    compactedEvents: [
      ...after.summarizations.flatMap(summaryTurn),
      ...events.filter(({ id }) => !isArchived(after, id)).map((message) => ({ synthetic: false as const, message })),
    ],
    archivedEvents: archived,
    eventsRemoved: archived.length,
    tokensEstimatedSaved: Math.max(0, saved - (summaryTokens(after) - summaryTokens(before))),
  };
}

/** Returns the synthetic turn of a summary: a user message that asks, and an assistant message that answers. */
function summaryTurn(record: SummarizationRecord): readonly SessionEvent[] {
  const { firstTurn, lastTurn } = record.span;
  return [
    { synthetic: true, role: "user", text: `What happened in turns ${firstTurn}-${lastTurn}?`, record },
    { synthetic: true, role: "assistant", text: renderSummary(record.summary), record },
  ];
}

function isArchived(plan: PlanRecords, id: MessageId): boolean {
  const { record } = actionOf(plan, id);
  return record !== null && removesMessages(record);
}

const summaryTokens = (plan: PlanRecords): number =>
  plan.summarizations.reduce((sum, record) => sum + record.summaryTokens, 0);
