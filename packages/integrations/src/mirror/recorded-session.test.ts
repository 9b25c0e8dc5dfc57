import { asThreadId } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { importSessionFile, type LiveFormat } from "@threadfold/importers";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import { expect, it } from "vitest";
import { EXAMPLE_SESSION, NOON } from "../testing/sessions.ts";
import { ThreadMirror } from "./thread-mirror.ts";

const CONVERSATIONS: readonly [LiveFormat, field: "messages" | "input" | "contents"][] = [
  ["ai-sdk", "messages"],
  ["anthropic-messages", "messages"],
  ["openai-chat", "messages"],
  ["openai-responses", "input"],
  ["gemini", "contents"],
];

function unfolded(format: LiveFormat) {
  const options = { format: formatById(format), clock: pinnedClock(NOON), config: { maxInputTokens: 10_000_000 } };
  return ContextSession.open({ threadId: asThreadId("host"), ...options });
}

/** Behind what the host says, such as a result, the model's answer is whole, which may be several items. */
const isEnd = (value: unknown): boolean => {
  const { role, type } = value as { readonly role?: string; readonly type?: string };
  return role === "tool" || role === "user" || type === "function_call_output";
};

it.each(CONVERSATIONS)(
  "a recorded session in the host's %s form is sent again exactly as it was recorded",
  async (format, field) => {
    const imported = await importSessionFile(EXAMPLE_SESSION);
    const recorded = await unfolded(format);
    await recorded.append(imported.messages);
    const { payload } = await recorded.prepare();
    const values = payload[field] as readonly unknown[];
    expect(values.length).toBeGreaterThan(100);

    const session = await unfolded(format);
    const mirror = new ThreadMirror({ session, format, clock: pinnedClock(NOON) });
    // As a loop does it: a piece more each time, and new objects at every call.
    const ends = values.flatMap((value, index) => (index % 40 > 30 && isEnd(value) ? [index + 1] : []));
    expect(ends.length).toBeGreaterThan(5);
    for (const end of ends) await mirror.sync(structuredClone(values.slice(0, end)));
    await mirror.sync(values);
    const again = await session.prepare();
    expect(again.violations).toEqual([]);
    expect(again.payload[field]).toEqual(values);
  },
);
