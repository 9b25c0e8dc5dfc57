import { describe, expect, it } from "vitest";
import { sdkRefusals } from "./sdk-refusals.ts";

describe("sdkRefusals", () => {
  it("tells which message the AI SDK refuses", () => {
    const messages = [
      { role: "user", content: "go" },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "read", output: "no object" }] },
    ];
    expect(sdkRefusals("ai-sdk", { messages })).toEqual([expect.stringContaining("refuses message 1")]);
    expect(sdkRefusals("ai-sdk", { messages: messages.slice(0, 1) })).toEqual([]);
  });
});
