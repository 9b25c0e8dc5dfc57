import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../apis/anthropic-messages.ts";
import { openaiChat } from "../apis/openai-chat.ts";
import { openaiResponses } from "../apis/openai-responses.ts";
import { AnswerCollector } from "./answer-collector.ts";

describe("an error in the middle of a stream", () => {
  const overflow = { code: "context_length_exceeded", message: "Too long." };

  it.each([
    ["an event of Responses that is the error itself", openaiResponses, { type: "error", ...overflow }],
    ["an event of Responses that holds it", openaiResponses, { type: "error", error: overflow }],
    ["a failed response", openaiResponses, { type: "response.failed", response: { error: overflow } }],
    ["an event of Anthropic", anthropicMessages, { type: "error", error: overflow }],
  ])("is found in %s", (_, api, event) => {
    const collector = new AnswerCollector(api, true, 10_000);
    collector.add(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    expect(collector.end().failure).toMatchObject(overflow);
  });
});

describe("a streamed completion", () => {
  const answerOf = (...deltas: readonly object[]) => {
    const collector = new AnswerCollector(openaiChat, true, 10_000);
    for (const [place, delta] of deltas.entries()) {
      const reason = place === deltas.length - 1 ? "tool_calls" : null;
      const chunk = { choices: [{ index: 0, delta, finish_reason: reason }] };
      collector.add(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`));
    }
    return collector.end().answer?.values;
  };

  it("has calls of functions and of custom tools, whose input comes in pieces", () => {
    expect(
      answerOf(
        {
          role: "assistant",
          tool_calls: [{ index: 0, id: "a", type: "custom", custom: { name: "patch", input: "" } }],
        },
        { tool_calls: [{ index: 0, custom: { input: "*** Begin" } }] },
        { tool_calls: [{ index: 0, custom: { input: " Patch" } }] },
        { tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "run", arguments: '{"a"' } }] },
        { tool_calls: [{ index: 1, id: "", type: null, function: { name: null, arguments: ":1" } }] },
        { tool_calls: [{ index: 1, id: null, function: { name: "", arguments: "}" } }] },
      ),
    ).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "a", type: "custom", custom: { name: "patch", input: "*** Begin Patch" } },
          { id: "b", type: "function", function: { name: "run", arguments: '{"a":1}' } },
        ],
      },
    ]);
  });

  it("has all the pieces of a list that comes in several", () => {
    const detail = (text: string) => ({ reasoning_details: [{ type: "reasoning.text", index: 0, text }] });
    expect(answerOf(detail("First "), { content: "Done." }, detail("I look."))).toEqual([
      {
        role: "assistant",
        content: "Done.",
        reasoning_details: [...detail("First ").reasoning_details, ...detail("I look.").reasoning_details],
      },
    ]);
  });
});
