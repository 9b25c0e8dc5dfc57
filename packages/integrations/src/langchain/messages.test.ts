import { asMessageId, type ChatMessage } from "@threadfold/core";
import { messageReader } from "@threadfold/importers";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "langchain";
import { expect, it } from "vitest";
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

it("a call and its result keep what a provider's package knows them by in a round trip", () => {
  const call = { type: "tool_call", id: "c", name: "run", args: { input: "ls" } } as const;
  const own = { isCustomTool: true, call_id: "ctc_1" };
  const answer = new AIMessage({ content: "", tool_calls: [{ ...call, ...own }] });
  expect((roundTrip(answer).back as AIMessage).tool_calls).toEqual([{ ...call, ...own }]);
  const additional_kwargs = { customTool: true };
  const result = new ToolMessage({ content: "a.ts", tool_call_id: "c", additional_kwargs });
  expect(roundTrip(result).back).toMatchObject({ additional_kwargs });
});

it("the same message is converted only once", () => {
  const message = new HumanMessage("hi");
  expect(liveMessage(message)).toBe(liveMessage(message));
});
