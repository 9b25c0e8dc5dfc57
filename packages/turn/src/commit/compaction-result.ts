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
 * An event as Spring AI Session lists it: a message of the thread, or one half of the turn that stands for archived
 * ones.
 */
export type SessionEvent =
  | { readonly synthetic: false; readonly message: Message }
  | {
      readonly synthetic: true;
      /** `user` is the shadow that asks, `assistant` the summary that answers. */
      readonly role: "user" | "assistant";
      readonly text: string;
      readonly record: SummarizationRecord;
    };

/** The result of a compaction in the terms of Spring AI Session (`CompactionResult`). */
export interface CompactionResult {
  /** The events that stay: synthetic ones first, then the kept ones in order. */
  readonly compactedEvents: readonly SessionEvent[];
  /** The events that this compaction took out. Those that an earlier one archived are not among them (S21). */
  readonly archivedEvents: readonly Message[];
  /** How many events it took out: the length of `archivedEvents`. */
  readonly eventsRemoved: number;
  /** A rough estimate of the tokens saved: what was archived less what the summaries grew by; at least 0. */
  readonly tokensEstimatedSaved: number;
}

/**
 * Tells a fold in the terms of Spring AI Session: from the plan that held before to the one that holds now. Equal plans
 * make the result of a compaction that did nothing. Messages of side branches are events of their own sessions and left
 * out.
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

/** The synthetic turn of a summary: the user shadow asks, the assistant message answers. */
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
