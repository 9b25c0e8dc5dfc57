import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../json/canonical-json.ts";
import { sha256 } from "../json/sha256.ts";
import { agentThreads, runs } from "../laws/index.ts";
import { AgentThread } from "./agent-thread.ts";
import { entryDigest, serializeEntry } from "./thread-chain.ts";

describe("an entry as it is written down", () => {
  it("is its canonical JSON, whichever way it is made", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), (thread) => {
        for (const entry of thread.entries) {
          expect(serializeEntry(entry)).toEqual({ body: canonicalJson(entry), digest: entryDigest(entry) });
          expect(entryDigest(entry)).toBe(sha256(canonicalJson(entry)));
        }
      }),
      runs(100),
    );
  });

  it("is so also for values whose keys JavaScript puts into another order", () => {
    const indices = fc.dictionary(fc.constantFrom("10", "9", "-1", "01", "a", "", "__proto__", "2"), fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(indices, fc.jsonValue(), fc.record({ deep: indices })), (input) => {
        const message = {
          id: "m" as never,
          role: "assistant" as const,
          createdAt: "2025-01-01T00:00:00.000Z",
          parts: [{ type: "tool-call" as const, callId: "c" as never, toolName: "t", input: input as never }],
        };
        const [entry] = AgentThread.empty("t" as never)
          .append([message])
          .entriesBetween(0);
        expect(serializeEntry(entry as never).body).toBe(canonicalJson(entry));
      }),
      runs(300),
    );
  });
});
