import type { ChatRequest, ToolResultPart } from "@threadfold/core";
import { call, result } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { FORMATS, formatById } from "../formats/formats.ts";
import { renderSample } from "../testing/render-sample.ts";
import { planWith, recordOver, threadOf } from "../testing/sample-thread.ts";
import { remedyFor } from "./remedies.ts";

const thread = threadOf(
  ["system", "sys"],
  ["user", "go"],
  ["assistant", "look", call("a"), call("b")],
  ["tool", result("a", "x".repeat(400))],
  ["tool", result("b", "y")],
  ["user", "on"],
);
const plan = planWith(thread, {
  ...recordOver(thread, 4),
  action: "clear",
  targets: ["tool-result"],
  preservedFields: {},
});

/** The rendered request with another call id in the cleared result: what a renderer with a defect would send. */
function withWrongResult(request: ChatRequest): ChatRequest {
  const messages = request.messages.map((message) => {
    const [part] = message.parts;
    if (part?.type !== "tool-result" || part.result.callId !== "a") return message;
    const wrong = { ...part, result: { ...part.result, callId: "z" } } as unknown as ToolResultPart;
    return { ...message, parts: [wrong] };
  });
  return { ...request, messages };
}

describe("a violation", () => {
  it.each([
    ["anthropic-messages", "$.messages[1].content[1]", "$.messages[2].content[0]"],
    ["openai-chat", "$.messages[2].tool_calls[0]", "$.messages[3]"],
    ["openai-responses", "$.input[2]", "$.input[4]"],
    ["gemini", "$.contents[1].parts[1]", "$.contents[2].parts[0]"],
    ["ai-sdk", "$.messages[1].content[1]", "$.messages[2].content[0]"],
    ["neutral", "$.messages[1].parts[1]", "$.messages[2].parts[0]"],
  ])("in %s names the position, the message and the plan record that caused it", (id, callAt, resultAt) => {
    const { request, manifest } = renderSample(thread, { plan, format: id });
    const format = formatById(id);
    const { payload } = format.lower(withWrongResult(request));
    const [unanswered, unknown] = format.check(payload, manifest).toSorted((a, b) => b.rule.localeCompare(a.rule));
    expect(unanswered).toMatchObject({ rule: "W7", at: callAt, messageId: "m3", causedBy: "include" });
    expect(unknown).toMatchObject({ rule: "W2", at: resultAt, messageId: "m4", causedBy: "clear by test from m4" });
  });

  it.each(["anthropic-messages", "openai-chat", "openai-responses", "gemini", "ai-sdk", "neutral"])(
    "in a foreign %s payload names only the position",
    (id) => {
      const { request } = renderSample(thread, { plan, format: id });
      const format = formatById(id);
      for (const violation of format.check(format.lower(withWrongResult(request)).payload)) {
        expect(Object.keys(violation).sort()).toEqual(["at", "problem", "rule"]);
      }
    },
  );

  it("names a long call id without half a character at its end", () => {
    const id = `${"x".repeat(79)}😀`;
    const messages = [
      { role: "user", content: "go" },
      { role: "tool", tool_call_id: id, content: "ok" },
    ];
    const [violation] = formatById("openai-chat").check({ messages });
    expect(violation).toMatchObject({ rule: "W2", at: "$.messages[1]" });
    expect(violation?.problem).toMatch(/^no call matches this result \(x{79}.?\)$/u);
    expect(violation?.problem.isWellFormed()).toBe(true);
  });

  it("names no message when the manifest belongs to another payload", () => {
    const { manifest, format } = renderSample(thread, { format: "anthropic-messages" });
    const payload = { tools: [{ name: "read" }], messages: [{ role: "user", content: "" }] };
    expect(format.check(payload, manifest)).toEqual([
      { rule: "W11", problem: "the text is blank", at: "$.messages[0].content[0]" },
    ]);
  });

  it("W13 is found through the manifest when no frame in the payload shows the edit", () => {
    const signed = { type: "reasoning", text: "hm", provider: "anthropic", signature: "c2ln" } as const;
    const dropped = threadOf(
      ["user", "go"],
      ["assistant", "one"],
      ["user", "on"],
      ["assistant", signed, "two"],
      ["user", "end"],
    );
    const { request, manifest, format } = renderSample(dropped, {
      format: "anthropic-messages",
      plan: planWith(dropped, { ...recordOver(dropped, 2), action: "drop", keywords: [] }),
    });
    expect(request.messages.flatMap(({ parts }) => parts.map(({ type }) => type))).not.toContain("reasoning");
    const messages = request.messages.map((message) =>
      message.sources[0] === "m4" ? { ...message, parts: [signed] } : message,
    );
    const { payload } = format.lower({ ...request, messages });
    expect(format.check(payload, manifest)).toContainEqual({
      rule: "W13",
      problem: "thinking follows a folded part of the conversation",
      at: "$.messages[1].content[0]",
      messageId: "m4",
      causedBy: "include",
    });
  });
});

describe("a legality rule", () => {
  it("has a remedy that differs from its description, in every format", () => {
    const rules = FORMATS.flatMap((format) => format.rules.rules);
    expect(rules.filter(({ id }) => remedyFor(id) === undefined).map(({ id }) => id)).toEqual([]);
    const repeated = rules.filter(({ id, description }) => `${remedyFor(id)}.` === description);
    expect(repeated.map(({ id }) => id)).toEqual([]);
    expect(remedyFor("toString")).toBeUndefined();
  });
});
