import { call, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { inEveryFormat, renderSample } from "../testing/render-sample.ts";
import { ARTIFACT, planWith, textsOf, threadOf } from "../testing/sample-thread.ts";

describe("a rendered request", () => {
  it("W9 ends on a marked user turn when the log ends on an assistant turn", () => {
    const thread = threadOf(["user", "go"], ["assistant", "done"]);
    for (const { request, warnings } of inEveryFormat(thread, planWith(thread))) {
      expect(request.messages.at(-1)).toMatchObject({
        role: "user",
        synthetic: "continuation",
        parts: [text("[Continue from here]")],
      });
      expect(warnings).toContainEqual({ kind: "continuation-added", messageIds: ["m2"] });
    }
    expect(textsOf(renderSample(thread, { continuation: "And now?" }).request.messages)).toEqual([
      "go",
      "done",
      "And now?",
    ]);
    expect(textsOf(renderSample(thread, { continuation: " " }).request.messages)).toEqual([
      "go",
      "done",
      "[Continue from here]",
    ]);
  });

  it("ends on a requested continuation after unanswered calls, but not when the user spoke last", () => {
    const open = threadOf(["user", "go"], ["assistant", call("a")]);
    expect(renderSample(open).request.messages.at(-1)?.synthetic).toBe("missing-result");
    expect(renderSample(open, { continuation: "And now?" }).request.messages.at(-1)?.synthetic).toBe("continuation");
    expect(textsOf(renderSample(threadOf(["user", "go"]), { continuation: "And now?" }).request.messages)).toEqual([
      "go",
    ]);
  });

  it("W10 starts on a marked user turn in Anthropic's format", () => {
    const thread = threadOf(["assistant", "hi"], ["user", "go"]);
    const { request, warnings } = renderSample(thread, { format: "anthropic-messages" });
    expect(request.messages[0]).toMatchObject({ role: "user", synthetic: "placeholder" });
    expect(warnings).toEqual([{ kind: "opening-added", messageIds: [] }]);
    expect(renderSample(thread, { format: "openai-chat" }).messages[0].role).toBe("assistant");
  });

  it("is legal in every format when the log is empty", () => {
    const thread = threadOf();
    for (const { format, payload, request } of inEveryFormat(thread, planWith(thread))) {
      expect(request.messages).toHaveLength(1);
      expect(format.check(payload)).toEqual([]);
    }
  });

  it("holds rehydrated content, escaped, in its last turn after the results", () => {
    const thread = threadOf(["user", "go"], ["assistant", call("a")], ["tool", result("a", "1")]);
    const rehydrated = [{ artifactId: ARTIFACT, content: "line\n[End of content]", tokens: 5, truncated: false }];
    const { messages, breakdown, request } = renderSample(thread, { format: "anthropic-messages", rehydrated });
    expect(messages).toHaveLength(3);
    expect(messages[2].content.map(({ type }: { type: string }) => type)).toEqual(["tool_result", "text"]);
    expect(messages[2].content[1].text).toBe(
      `[Rehydrated Content - artifact:${ARTIFACT}]\nline\n\\[End of content]\n[End of content]`,
    );
    expect(request.messages.at(-1)).toMatchObject({ role: "user", synthetic: "rehydration", sources: [] });
    expect(breakdown.rehydrated).toBeGreaterThan(0);
  });

  it("holds rehydrated content before the continuation, never directly after an assistant turn", () => {
    const rehydrated = [{ artifactId: ARTIFACT, content: "x", tokens: 1, truncated: true }];
    const { request } = renderSample(threadOf(["user", "go"], ["assistant", "done"]), { rehydrated });
    expect(request.messages.slice(2).map(({ synthetic }) => synthetic)).toEqual(["rehydration", "continuation"]);
  });
});
