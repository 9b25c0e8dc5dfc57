import { type AgentThread, type CompactionPlan, type Message, type PlanRecord, spanStart } from "@threadfold/core";

/** Remembers the answer for each plan. The messages that a plan names are in every thread that it is rendered with. */
function ofPlan<Found>(
  find: (plan: CompactionPlan, thread: AgentThread) => Found,
): (plan: CompactionPlan, thread: AgentThread) => Found {
  const known = new WeakMap<CompactionPlan, { readonly found: Found }>();
  return (plan, thread) => {
    const before = known.get(plan);
    if (before !== undefined) return before.found;
    const found = find(plan, thread);
    known.set(plan, { found });
    return found;
  };
}

/** Ordinal of the first message of the main branch that a plan folds, clears or drops; null when there is none. */
export const firstEditedOrdinal = ofPlan((plan, thread): number | null => {
  let first: number | null = null;
  for (const record of recordsOf(plan)) first = earlier(first, firstShown(record, thread));
  return first;
});

function firstShown({ span }: PlanRecord, thread: AgentThread): number | null {
  // Its first message is in memory even if the others were left in the store.
  const first = thread.message(spanStart(span));
  if (first !== undefined && first.branch === undefined) return first.ordinal;
  for (const id of span.messageIds) {
    const message = thread.message(id);
    if (message !== undefined && message.branch === undefined) return message.ordinal;
  }
  return null;
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/**
 * Ordinal from which on reasoning is bound to a prefix that a plan changed: the start of the tool loop that contains
 * the first edit. Infinity when nothing is edited.
 */
export const reasoningBoundary = ofPlan((plan, thread): number => {
  const edited = firstEditedOrdinal(plan, thread);
  return edited === null ? Number.POSITIVE_INFINITY : loopStart(edited, thread);
});

/**
 * Number of messages that a plan has seen. Later messages were written by a model that saw the prompt as this plan
 * shows it, so reasoning in them is bound to a prefix that stays valid until the next plan.
 */
export const messagesSeen = ofPlan((plan, thread): number => {
  for (let version = plan.threadVersion; version < thread.version; version++) {
    const [entry] = thread.entriesBetween(version, version + 1);
    if (entry?.type === "message") return entry.message.ordinal;
  }
  return thread.length;
});

function recordsOf(plan: CompactionPlan): readonly PlanRecord[] {
  return [...plan.externalizations, ...plan.summarizations, ...plan.clearings, ...plan.drops];
}

/** The loop start of each message visited so far, so that a long loop is walked once. */
const knownStarts = new WeakMap<Message, number>();

/**
 * Returns the ordinal of the user message that opened a message's tool loop. The provider treats a loop as one turn, so
 * once a part of it changes, nothing in it stays bound to its prefix.
 */
function loopStart(ordinal: number, thread: AgentThread): number {
  const walked: Message[] = [];
  let start = 0;
  for (let index = ordinal; index > 0; index--) {
    const message = thread.messageAt(index);
    if (message === undefined) continue;
    const known = message.role === "user" && message.branch === undefined ? index : knownStarts.get(message);
    if (known !== undefined) {
      start = known;
      break;
    }
    walked.push(message);
  }
  for (const message of walked) knownStarts.set(message, start);
  return start;
}
