import {
  AgentThread,
  asMessageId,
  type Clock,
  type MessageInput,
  type ThreadEntryInput,
  type ThreadId,
} from "@threadfold/core";
import { referenceMetadata, type ThreadReference } from "../thread/thread-reference.ts";

/** What a handoff's thread is made of. */
export interface HandoffParts {
  readonly goal: string;
  readonly briefing: string;
  readonly reference: ThreadReference;
  readonly clock: Clock;
}

/** The thread that a handoff begins: the briefing, the live pins of the old thread, and the goal as its first request. */
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
  // A pin's place in the old thread means nothing in the new one.
  const pins = from.livePins.map(({ source: _source, ...pin }): ThreadEntryInput => ({ type: "pin", pin }));
  const entries: readonly ThreadEntryInput[] = [
    { type: "message", message: told },
    ...pins,
    { type: "message", message: asked },
  ];
  return AgentThread.empty(threadId).appendEntries(entries);
}
