import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { toChatMessage } from "./chat-request.ts";

describe("toChatMessage", () => {
  it("takes the very parts of a message, names it as the source and is not synthetic", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true, maxMessages: 8, pins: false }), (thread) => {
        for (const message of thread.messages) {
          const chat = toChatMessage(message);
          expect(chat).toEqual({ role: message.role, parts: message.parts, sources: [message.id] });
          expect(chat.parts).toBe(message.parts);
        }
      }),
      { numRuns: 50 },
    );
  });
});
