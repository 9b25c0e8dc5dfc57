import type { AgentThread, JsonValue, Message, ThreadShape } from "@threadfold/core";

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
