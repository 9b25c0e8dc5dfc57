import { describe, expect, it } from "vitest";
import { messageInputSchema } from "../model/message.ts";
import { assistant, call, result, system, text, threadOf, tool, user } from "./messages.ts";

describe("test messages", () => {
  const messages = [
    system("s", "Be brief."),
    user("u", "Go."),
    assistant("a", [text("I read."), call("x"), call("y", "grep", { pattern: "b" })], { branch: "side" }),
    tool("r", result("x", "content")),
    tool("q", result("y", { type: "json", value: [1] }, { toolName: "grep", outcome: "failure" })),
  ];

  it("are accepted by a thread, with the given parts", () => {
    for (const one of messages) expect(messageInputSchema.parse(one)).toEqual(one);
    const thread = threadOf(...messages);
    expect([thread.id, thread.length]).toEqual(["t", 5]);
    expect([...thread.messages].map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ["system", "text"],
      ["user", "text"],
      ["assistant", "text", "tool-call", "tool-call"],
      ["tool", "tool-result"],
      ["tool", "tool-result"],
    ]);
    expect([...thread.messages][2]?.branch).toBe("side");
  });

  it("hold the given fields of a result", () => {
    expect(messages[4]?.parts).toEqual([
      {
        type: "tool-result",
        result: { callId: "y", toolName: "grep", outcome: "failure", content: { type: "json", value: [1] } },
      },
    ]);
  });
});
