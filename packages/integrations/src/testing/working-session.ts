import { asMessageId, asThreadId, asToolCallId, type MessageInput } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { type FormatId, formatById } from "@threadfold/renderer";
import { ContextSession, type SessionOptions } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { NOON } from "./folded-session.ts";

const createdAt = new Date(NOON).toISOString();

/** A session in a format, on an empty thread in memory. */
export const sessionIn = (format: FormatId, options: Partial<SessionOptions> = {}): Promise<ContextSession> => {
  const clock = pinnedClock(NOON);
  const store = createMemoryStore({ clock });
  return ContextSession.open({ threadId: asThreadId("work"), clock, store, format: formatById(format), ...options });
};

/** A session that has done so many steps of work, of about 700 tokens each. */
export async function workedSession(format: FormatId, steps: number, options: Partial<SessionOptions> = {}) {
  const session = await sessionIn(format, options);
  await session.append([
    said("Do the work. Never touch the vault."),
    ...Array.from({ length: steps }, (_, step) => work(step)).flat(),
  ]);
  return session;
}

const said = (text: string): MessageInput => ({
  id: asMessageId("begin"),
  role: "user",
  createdAt,
  parts: [{ type: "text", text }],
});

function work(step: number): readonly MessageInput[] {
  const callId = asToolCallId(`work_${step}`);
  const call = { type: "tool-call" as const, callId, toolName: "run", input: { command: `make step-${step}` } };
  const content = { type: "text" as const, text: `step ${step}: ${"output ".repeat(400)}` };
  const result = { callId, toolName: "run", outcome: "success" as const, content };
  return [
    { id: asMessageId(`call-${step}`), role: "assistant", createdAt, parts: [call] },
    { id: asMessageId(`result-${step}`), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
  ];
}
