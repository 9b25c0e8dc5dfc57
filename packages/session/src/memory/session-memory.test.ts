import {
  asMessageId,
  asThreadId,
  asToolCallId,
  type ContextCompactionEvent,
  type MessageInput,
  type Summarizer,
} from "@threadfold/core";
import { message, pinnedClock } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { externalizeStrategy, summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
/** Talk that only a summary can fold: no result is in it. */
const talk = (round: number): readonly MessageInput[] =>
  ["a", "b", "c"].flatMap((id) => [
    message(`${round}${id}`, "user", "Go on."),
    message(`${round}${id}-answer`, "assistant", `About ${id}: ${"many more words ".repeat(300)}`),
  ]);
/** A result that the first rung moves away, which is enough for the target. */
const largeResult = (id: string): readonly MessageInput[] => {
  const callId = asToolCallId(`call-${id}`);
  const content = { type: "text", text: `A line of ${id}.\n`.repeat(1_500) } as const;
  return [
    {
      id: asMessageId(id),
      role: "assistant",
      createdAt,
      parts: [{ type: "tool-call", callId, toolName: "fetch", input: { url: id } }],
    },
    {
      id: asMessageId(`${id}-result`),
      role: "tool",
      createdAt,
      parts: [{ type: "tool-result", result: { toolName: "fetch", callId, outcome: "success", content } }],
    },
    message(`${id}-next`, "user", "And?"),
    message(`${id}-then`, "assistant", "Read."),
  ];
};

/** A summarizer that fails while `down`, and the events of a session that uses it. */
async function open() {
  const events: ContextCompactionEvent[] = [];
  const state = { down: true, calls: 0 };
  const summarizer: Summarizer = {
    id: "shaky@1",
    summarize: (request) => {
      state.calls++;
      return state.down ? Promise.reject(new Error("down")) : new ExtractiveSummarizer().summarize(request);
    },
  };
  const session = await ContextSession.open({
    threadId: asThreadId("memory"),
    store: createMemoryStore(),
    preset: { ...threadfoldPreset, ladder: [externalizeStrategy, summarizeStrategy] },
    config: { maxInputTokens: 6_000, preserveRecentTurns: 1, costModelEnabled: false, minCallsPerFold: 0 },
    clock: pinnedClock(0),
    summarizer,
    onEvent: (event) => events.push(event),
  });
  const fold = async (messages: readonly MessageInput[]): Promise<string> => {
    await session.append(messages);
    return (await session.compact({ force: true })).type;
  };
  const warnings = () => events.filter(({ type }) => type === "summarizer_failing").length;
  return { session, state, fold, warnings };
}

describe("the count of a summarizer's failures in a row", () => {
  it("S18 a fold that only externalizes does not reset the failures: the third is still reported", async () => {
    const { session, state, fold, warnings } = await open();
    for (const round of [0, 1]) expect(await fold(talk(round))).toBe("summarizer-failed-floor-used");
    const { calls } = state;
    expect(await fold(largeResult("manual"))).toBe("committed");
    const { version, externalizations, summarizations } = session.plan;
    expect(externalizations.some(({ sincePlanVersion }) => sincePlanVersion === version)).toBe(true);
    expect(summarizations.some(({ sincePlanVersion }) => sincePlanVersion === version)).toBe(false);
    expect(state.calls).toBe(calls);
    expect(warnings()).toBe(0);
    expect(await fold(talk(2))).toBe("summarizer-failed-floor-used");
    expect(warnings()).toBe(1);
  });

  it("S18 a fold that the summarizer completed resets the failures", async () => {
    const { state, fold, warnings } = await open();
    for (const round of [0, 1]) expect(await fold(talk(round))).toBe("summarizer-failed-floor-used");
    state.down = false;
    expect(await fold(talk(2))).toBe("committed");
    state.down = true;
    for (const round of [3, 4]) expect(await fold(talk(round))).toBe("summarizer-failed-floor-used");
    expect(warnings()).toBe(0);
    expect(await fold(talk(5))).toBe("summarizer-failed-floor-used");
    expect(warnings()).toBe(1);
  });
});
