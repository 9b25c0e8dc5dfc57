import { asMessageId, heuristicTokenizer, type ImportedSession, type MessageInput } from "threadfold";
import { describe, expect, it } from "vitest";
import { countedCalls, tokenAccuracy } from "./token-accuracy.ts";

const message = (
  id: string,
  role: MessageInput["role"],
  text: string,
  more: Partial<MessageInput> = {},
): MessageInput => ({
  id: asMessageId(id),
  role,
  parts: [{ type: "text", text }],
  createdAt: "2026-01-01T00:00:00.000Z",
  ...more,
});

const session = (messages: readonly MessageInput[]) =>
  ({ system: [], tools: [], messages, model: "claude-x" }) as unknown as ImportedSession;

const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 1 });

describe("countedCalls", () => {
  it("sets what stood before a call beside what the provider counted for it", () => {
    const calls = countedCalls(
      session([
        message("u", "user", "x".repeat(400)),
        message("a", "assistant", "y".repeat(40), { usage: usage(120) }),
        message("v", "user", "z".repeat(400)),
        message("b", "assistant", "", { usage: usage(250), model: "gpt-5" }),
      ]),
      heuristicTokenizer(),
    );
    expect(calls).toEqual([
      { model: "claude-x", counted: 3 + 104, reported: 120, outputTokens: 1, answered: 14 },
      { model: "gpt-5", counted: 3 + 104 + 14 + 104, reported: 250, outputTokens: 1, answered: 4 },
    ]);
  });

  it("ends where another tool compacted, and leaves out calls that nobody counted", () => {
    const calls = countedCalls(
      session([
        message("u", "user", "x"),
        message("a", "assistant", "y"),
        message("s", "user", "summary", { origin: "compaction" }),
        message("b", "assistant", "z", { usage: usage(50) }),
      ]),
      heuristicTokenizer(),
    );
    expect(calls).toEqual([]);
  });
});

describe("tokenAccuracy", () => {
  const calls = Array.from({ length: 40 }, (_, index) => ({
    model: "m",
    counted: 100 * (index + 1),
    reported: 125 * (index + 1),
    outputTokens: 0,
    answered: 0,
  }));

  it("tells the error as it is, and what is left of it once the model is known", () => {
    const accuracy = tokenAccuracy("heuristic", "some", [calls.slice(0, 20), [], calls.slice(20)]);
    expect(accuracy).toMatchObject({ sessions: 2, calls: 40, before: { within3Percent: 0 } });
    expect(accuracy?.before.median).toBeCloseTo(-0.2, 9);
    expect(accuracy?.after.median).toBeCloseTo(0, 2);
    expect(accuracy?.after.within3Percent).toBeGreaterThan(0.9);
  });

  it("says nothing of nothing", () => {
    expect(tokenAccuracy("heuristic", "some", [[]])).toBeNull();
  });
});
