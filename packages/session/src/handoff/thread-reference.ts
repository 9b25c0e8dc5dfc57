import {
  AgentThread,
  asMessageId,
  type Clock,
  type CompactionPlan,
  type JsonObject,
  type Message,
  type MessageInput,
  type ThreadEntryInput,
  type ThreadfoldStore,
  type ThreadId,
  threadIdSchema,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";

/** A reference from one thread to a particular version of another. */
export interface ThreadReference {
  readonly threadId: ThreadId;
  readonly threadVersion: number;
  /** The referenced thread's running hash at that version. */
  readonly threadDigest: string;
  readonly planVersion: number;
}

const KEY = "threadReference";
const referenceSchema: z.ZodType<ThreadReference> = z.lazy(() =>
  z.object({
    threadId: threadIdSchema,
    threadVersion: z.int().nonnegative(),
    threadDigest: z.string(),
    planVersion: z.int().nonnegative(),
  }),
);

/** Returns a reference to a thread as it is now. */
export function referenceTo(thread: AgentThread, plan: CompactionPlan): ThreadReference {
  return {
    threadId: thread.id,
    threadVersion: thread.version,
    threadDigest: thread.digest,
    planVersion: plan.version,
  };
}

/** Returns a reference as metadata of a message. */
export const referenceMetadata = (reference: ThreadReference): JsonObject => ({ [KEY]: { ...reference } });

/** Returns the reference in a message's metadata, or null. */
export function referenceOf(message: Pick<Message, "metadata">): ThreadReference | null {
  const parsed = referenceSchema.safeParse(message.metadata?.[KEY]);
  return parsed.success ? parsed.data : null;
}

/**
 * Returns the referenced version of a thread; null when the store does not have it, or has a different thread by that
 * id.
 */
export async function referencedThread(
  store: ThreadfoldStore,
  { threadId, threadVersion, threadDigest }: ThreadReference,
): Promise<AgentThread | null> {
  const thread = await store.threads.load(threadId, { atVersion: threadVersion });
  return thread?.digest === threadDigest ? thread : null;
}

/** What a handoff's thread is built from. */
export interface HandoffParts {
  readonly goal: string;
  readonly briefing: string;
  readonly reference: ThreadReference;
  readonly clock: Clock;
}

/** Builds the thread of a handoff: the briefing, the live pins of the old thread, and the goal as its first request. */
export function handoffThread(
  threadId: ThreadId,
  from: AgentThread,
  { goal, briefing, reference, clock }: HandoffParts,
): AgentThread {
  const base = { role: "user" as const, createdAt: new Date(clock.now()).toISOString() };
  const told: MessageInput = {
    ...base,
    id: asMessageId(`handoff-${reference.threadDigest.slice(0, 16)}`),
    parts: [{ type: "text", text: briefing }],
    origin: "harness",
    metadata: referenceMetadata(reference),
  };
  const asked: MessageInput = { ...base, id: asMessageId("handoff-goal"), parts: [{ type: "text", text: goal }] };
  // A pin's source in the old thread means nothing in the new one.
  const pins = from.livePins.map(({ source: _source, ...pin }): ThreadEntryInput => ({ type: "pin", pin }));
  const entries: readonly ThreadEntryInput[] = [
    { type: "message", message: told },
    ...pins,
    { type: "message", message: asked },
  ];
  return AgentThread.empty(threadId).appendEntries(entries);
}
