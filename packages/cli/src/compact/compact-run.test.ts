import { AgentThread, asMessageId, asThreadId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { askMessage } from "./compact-run.ts";

const now = "2026-01-01T00:00:00.000Z";
const thread = AgentThread.empty(asThreadId("t")).append([
  { id: asMessageId("m1"), role: "user", parts: [{ type: "text", text: "Hello" }], createdAt: now },
]);

describe("askMessage", () => {
  it("has an id that follows from its place and its text", () => {
    const asked = askMessage(thread, "What next?", now);
    expect(asked).toEqual({
      id: asked?.id,
      role: "user",
      parts: [{ type: "text", text: "What next?" }],
      createdAt: now,
    });
    expect(askMessage(thread, "What next?", "2027-01-01T00:00:00.000Z")?.id).toBe(asked?.id);
    expect(askMessage(thread, "What else?", now)?.id).not.toBe(asked?.id);
    expect(askMessage(AgentThread.empty(asThreadId("t")), "What next?", now)?.id).not.toBe(asked?.id);
  });

  it("is asked once, however often it is asked in the same place", () => {
    const asked = askMessage(thread, "What next?", now);
    const grown = thread.append([asked!]);
    expect(askMessage(grown, "What next?", now)).toBeNull();
    expect(askMessage(grown, "And then?", now)).not.toBeNull();
  });

  it("does not take a message of the log for its own", () => {
    expect(askMessage(thread, "Hello", now)).not.toBeNull();
  });

  it("says something", () =>
    expect(() => askMessage(thread, " \n", now)).toThrow(expect.objectContaining({ code: "USAGE" })));
});
