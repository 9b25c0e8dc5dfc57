import {
  type AgentThread,
  type CompactionPlan,
  type DropRecord,
  type SpanReference,
  visibleText,
} from "@threadfold/core";
import { namesInText } from "./names-in-text.ts";

/** What is left of a dropped span beside the thread itself: enough to know that it is worth a search (seed 002). */
export interface DroppedSpanIndex {
  readonly span: SpanReference;
  /** Words and names of the span. */
  readonly keywords: readonly string[];
  /** One sentence: how much it was, and how it began. */
  readonly summary: string;
  /** ISO 8601 time of its newest message, in UTC. */
  readonly timestamp: string;
}

const MAX_KEYWORDS = 40;
const MAX_OPENING = 160;

/** An index of everything that a plan drops, in the order of the thread. Derived: the same plan gives the same index. */
export function droppedSpanIndex(thread: AgentThread, plan: CompactionPlan): readonly DroppedSpanIndex[] {
  return plan.drops
    .map((record) => indexOf(thread, record))
    .sort((a, b) => ordinalOf(thread, a.span) - ordinalOf(thread, b.span));
}

function indexOf(thread: AgentThread, { span, keywords }: DropRecord): DroppedSpanIndex {
  const messages = span.messageIds.flatMap((id) => thread.message(id) ?? []);
  const texts = messages.map(visibleText);
  const names = new Set([...keywords, ...texts.flatMap(namesInText)]);
  const opening = (texts[0] ?? "").trim().replace(/\s+/g, " ").slice(0, MAX_OPENING).toWellFormed();
  const turns =
    span.firstTurn === span.lastTurn ? `turn ${span.firstTurn}` : `turns ${span.firstTurn} to ${span.lastTurn}`;
  return {
    span,
    keywords: [...names].slice(0, MAX_KEYWORDS),
    summary: `${messages.length} ${messages.length === 1 ? "message" : "messages"} of ${turns}, beginning: ${opening}`,
    timestamp:
      messages
        .map(({ createdAt }) => createdAt)
        .sort()
        .at(-1) ?? "",
  };
}

const ordinalOf = (thread: AgentThread, { messageIds }: SpanReference): number =>
  thread.message(messageIds[0] as SpanReference["messageIds"][number])?.ordinal ?? 0;
