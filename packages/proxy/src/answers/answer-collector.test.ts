import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../apis/anthropic-messages.ts";
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
