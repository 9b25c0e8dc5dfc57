import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toChatMessage } from "../providers/chat-request.ts";
import { countingTokenizer, pinnedClock } from "./samples.ts";
import { agentThreads } from "./thread-arbitrary.ts";

describe("countingTokenizer", () => {
  it("counts one token per four code units", () => {
    expect(["", "a", "abcd", "abcde"].map(countingTokenizer().countTokens)).toEqual([0, 1, 1, 2]);
  });

  it("counts a request as the sum of its messages plus a constant", () => {
    const tokenizer = countingTokenizer();
    fc.assert(
      fc.property(agentThreads({ malformed: true, maxMessages: 12 }), (thread) => {
        const messages = [...thread.messages].map(toChatMessage);
        const parts = messages.map(tokenizer.countMessage);
        const request = { system: ["12345678"], tools: [], messages };
        expect(tokenizer.countRequest(request)).toBe(parts.reduce((sum, tokens) => sum + tokens, 3 + 2));
      }),
      { numRuns: 100 },
    );
  });
});

describe("pinnedClock", () => {
  it("stands still", () => {
    const clock = pinnedClock(1_234);
    expect([clock.now(), clock.now()]).toEqual([1_234, 1_234]);
  });
});
