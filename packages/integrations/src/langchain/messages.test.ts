import { asMessageId, type ChatMessage } from "@threadfold/core";
import { result } from "@threadfold/core/laws";
import { messageReader } from "@threadfold/importers";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "langchain";
import { describe, expect, it } from "vitest";
import { baseMessage, liveMessage } from "./messages.ts";

/** A message as the thread has it, and as LangChain gets it back where rendering made it anew. */
function roundTrip(message: BaseMessage) {
  const [read] = messageReader("ai-sdk", { seed: "t" }).read([liveMessage(message)]);
  if (read === undefined) throw new Error("nothing was read");
  const chat: ChatMessage = { ...read, sources: [asMessageId(read.id)] };
  return { read, back: baseMessage(chat, message) };
}

const PNG = "data:image/png;base64,aGk=";

it("an answer keeps its thinking, texts and calls in a round trip", () => {
  const { read, back } = roundTrip(
    new AIMessage({
      id: "a",
      content: [
        { type: "thinking", thinking: "hm", signature: "signed" },
        { type: "redacted_thinking", data: "sealed" },
        { type: "reasoning", reasoning: "in plain words" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "c", name: "read", input: { path: "a" } },
      ],
      tool_calls: [{ id: "c", name: "read", args: { path: "a" } }],
    }),
  );
  expect(read).toMatchObject({
    id: "a",
    role: "assistant",
    parts: [
      { type: "reasoning", text: "hm", signature: "signed", provider: "anthropic" },
      { type: "reasoning", text: "", encrypted: "sealed" },
      { type: "reasoning", text: "in plain words" },
      { type: "text", text: "I look." },
      { type: "tool-call", callId: "c", toolName: "read", input: { path: "a" } },
    ],
  });
  expect(back.content).toEqual([
    { type: "thinking", thinking: "hm", signature: "signed" },
    { type: "redacted_thinking", data: "sealed" },
    { type: "reasoning", reasoning: "in plain words" },
    { type: "text", text: "I look." },
  ]);
  expect((back as AIMessage).tool_calls).toMatchObject([{ id: "c", name: "read", args: { path: "a" } }]);
});

it("a human message keeps its pictures, files and unknown blocks in a round trip", () => {
  const unknown = { type: "video_clip", place: "https://example.com/v" };
  const { read, back } = roundTrip(
    new HumanMessage({
      content: [
        { type: "image_url", image_url: { url: PNG } },
        { type: "file", data: "JVBERg==", mimeType: "application/pdf" },
        { type: "image", url: "https://example.com/a.png" },
        unknown,
      ],
    }),
  );
  expect(read.parts.map(({ type }) => type)).toEqual(["image", "file", "image", "opaque"]);
  expect(back.content).toEqual([
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "file", data: "JVBERg==", mimeType: "application/pdf" },
    { type: "image", url: "https://example.com/a.png" },
    unknown,
  ]);
});

it("a tool result keeps its call, its tool and its error status in a round trip", () => {
  const failed = new ToolMessage({ content: "no such file", tool_call_id: "c", name: "read", status: "error" });
  const { read, back } = roundTrip(failed);
  expect(read.parts).toMatchObject([{ result: { callId: "c", toolName: "read", outcome: "failure" } }]);
  expect(back).toMatchObject({ content: "no such file", tool_call_id: "c", name: "read", status: "error" });
});

it.each([
  ["LangChain's own form", { type: "image", data: "aGk=", mimeType: "image/png" }],
  ["a data URL", { type: "image_url", image_url: { url: PNG } }],
  ["OpenAI's form", { type: "input_image", image_url: PNG }],
])("a picture in a result is in the thread, and comes back: %s", (_, block) => {
  const { read, back } = roundTrip(
    new ToolMessage({ content: [{ type: "text", text: "ok" }, block] as never, tool_call_id: "c" }),
  );
  const source = { kind: "base64", mediaType: "image/png", data: "aGk=" };
  expect(read.parts).toMatchObject([{ result: { content: { blocks: [{ text: "ok" }, { type: "image", source }] } } }]);
  expect(back.content).toEqual([
    { type: "text", text: "ok" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
  ]);
});

it("a call and its result keep what a provider's package knows them by in a round trip", () => {
  const call = { type: "tool_call", id: "c", name: "run", args: { input: "ls" } } as const;
  const own = { isCustomTool: true, call_id: "ctc_1" };
  const answer = new AIMessage({ content: "", tool_calls: [{ ...call, ...own }] });
  expect((roundTrip(answer).back as AIMessage).tool_calls).toEqual([{ ...call, ...own }]);
  const additional_kwargs = { customTool: true };
  const result = new ToolMessage({ content: "a.ts", tool_call_id: "c", additional_kwargs });
  expect(roundTrip(result).back).toMatchObject({ additional_kwargs });
});

describe("a screenshot that answers a call of OpenAI's computer", () => {
  const shot = (content: unknown) =>
    new ToolMessage({
      ...{ content: content as string, tool_call_id: "c" },
      additional_kwargs: { type: "computer_call_output" },
    });
  /** LangChain's package for OpenAI sends the address of the first picture in this form, and throws without one. */
  const pictureOf = ({ content }: BaseMessage) => {
    const [first] = (content as unknown as Record<string, unknown>[]).filter(({ type }) => type === "image_url");
    return (first?.["image_url"] as { readonly url: string } | undefined)?.url;
  };

  it.each([
    ["as LangChain's tool takes it", shot(PNG)],
    ["in OpenAI's form", shot([{ type: "input_image", image_url: PNG, detail: "auto" }])],
    ["in OpenAI's older form", shot([{ type: "computer_screenshot", image_url: PNG }])],
    ["as an image", shot([{ type: "image_url", image_url: { url: PNG } }])],
  ])("is still a picture once it is cleared, or shown anew: %s", (_, host) => {
    const cleared: ChatMessage = {
      role: "tool",
      parts: [result("c", "[cleared: screenshot]")],
      sources: [asMessageId("m")],
      synthetic: "placeholder",
    };
    const blank = baseMessage(cleared, host);
    expect(pictureOf(blank)).toMatch(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/);
    expect(blank.content).toContainEqual({ type: "text", text: "[cleared: screenshot]" });
    expect(pictureOf(roundTrip(host).back)).toBe(PNG);
  });
});

it("the same message is converted only once", () => {
  const message = new HumanMessage("hi");
  expect(liveMessage(message)).toBe(liveMessage(message));
});
