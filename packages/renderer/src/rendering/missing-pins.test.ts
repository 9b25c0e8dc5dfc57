import { asToolCallId, type Message, type Part, type Pin } from "@threadfold/core";
import { call, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { inEveryFormat, renderSample } from "../testing/render-sample.ts";
import { messagesOf, pin, planWith, signed, summaryOver, textsOf, threadOfEntries } from "../testing/sample-thread.ts";
import { missingPins } from "./missing-pins.ts";

const resultEnvelope = { callId: asToolCallId("a"), toolName: "read", outcome: "success" } as const;

describe("pins (P5)", () => {
  const [first, second] = messagesOf([
    ["user", "Never push."],
    ["assistant", "ok"],
  ]) as [Message, Message];
  const folded = (plannedPin: Pin) => {
    const thread = threadOfEntries(
      { type: "message", message: first },
      { type: "pin", pin: plannedPin },
      { type: "message", message: second },
    );
    return { thread, plan: planWith(thread, summaryOver(thread, [1, 2])) };
  };

  it("are shown word for word, quoted on one line in a user message, when their source is folded", () => {
    const { thread, plan } = folded(pin("Never push.\n[Pinned: always]", first));
    for (const { request, missingPins } of inEveryFormat(thread, plan)) {
      const pins = request.messages.find(({ synthetic }) => synthetic === "pins");
      expect(pins?.role).toBe("user");
      expect(textsOf([pins!])[0]).toContain(String.raw`(user) "Never push.\n\u005bPinned: always]"`);
      expect(missingPins).toEqual([]);
    }
  });

  it("are not repeated while their source is shown", () => {
    const { thread } = folded(pin("Never push.", first));
    expect(renderSample(thread).request.messages.map(({ synthetic }) => synthetic)).not.toContain("pins");
  });

  it("are announced as lifted at the place where they were lifted", () => {
    const lifted = pin("Never push.");
    const thread = threadOfEntries(
      { type: "message", message: first },
      { type: "pin", pin: lifted },
      { type: "pin-lifted", pinId: lifted.id, authority: "user", reason: "done" },
    );
    expect(textsOf(renderSample(thread).request.messages).slice(1)).toEqual([
      '[Pinned - still in force, word for word]\n(user) "Never push."',
      '[Pin lifted - no longer in force]\n(user) "Never push."',
    ]);
  });

  it("on reasoning are shown in a message of their own, where they were made", () => {
    const [question, answer, next] = messagesOf([
      ["user", "go"],
      ["assistant", signed, "so"],
      ["user", "on"],
    ]) as [Message, Message, Message];
    const thread = threadOfEntries(
      { type: "message", message: question },
      { type: "message", message: answer },
      { type: "pin", pin: pin("hm", answer) },
      { type: "message", message: next },
    );
    const { request, missingPins } = renderSample(thread, { format: "openai-chat" });
    expect(textsOf(request.messages)).toEqual([
      "go",
      "so",
      '[Pinned - still in force, word for word]\n(user) "hm"',
      "on",
    ]);
    expect(missingPins).toEqual([]);
  });

  it("count as shown only as a whole line with their own authority, not as lifted", () => {
    const live = pin("Never\npush.");
    const line = '(user) "Never\\npush."';
    const block = (text: string) =>
      ({ action: "pins", chat: { role: "user", parts: [{ type: "text", text }] } }) as never;
    const header = "[Pinned - still in force, word for word]";
    expect(missingPins([live], [], [block(`${header}\n${line}`)])).toEqual([]);
    for (const wrong of [
      `${header}\n(operator) "Never\\npush."`,
      `${header}\n${line} and more`,
      `[Pin lifted - no longer in force]\n${line}`,
    ])
      expect(missingPins([live], [], [block(wrong)])).toEqual([live]);
  });

  it("count as shown in system text, messages and results, but not in calls or other data", () => {
    const live = pin("Never push.");
    const draft = (...parts: readonly Part[]) =>
      ({ action: "include", message: null, chat: { role: "user", parts } }) as never;
    const data: Part = {
      type: "tool-result",
      result: { ...resultEnvelope, content: { type: "json", value: { rule: "Never push." } } },
    };
    expect(missingPins([live], ["Be kind. Never push. Thanks."], [])).toEqual([]);
    expect(missingPins([live], [], [draft(text("Hello.")), draft(text("a"), text("I said: Never push."))])).toEqual([]);
    expect(missingPins([live], [], [draft({ type: "reasoning", text: "Never push." })])).toEqual([]);
    expect(missingPins([live], [], [draft(result("a", "Never push."))])).toEqual([]);
    for (const part of [text("Never pull."), call("a", "Never push."), data])
      expect(missingPins([live], ["Be kind."], [draft(part)])).toEqual([live]);
    expect(missingPins([], [], [draft(data)])).toEqual([]);
  });

  it("count as shown in the data that they quote, and in no other data", () => {
    const [source, other] = messagesOf([
      ["tool", result("a", "1")],
      ["tool", result("b", "2")],
    ]) as [Message, Message];
    const content = { type: "json", value: ["Never push."] } as const;
    const parts = [text("Hello."), { type: "tool-result", result: { ...resultEnvelope, content } }];
    const draft = { action: "include", message: source, chat: { role: "tool", parts } } as never;
    const empty = { action: "include", message: null, chat: { role: "user", parts: [] } } as never;
    const quoted = (message: Message) => ({
      ...pin("Never push."),
      source: { messageId: message.id, start: 0, end: 11 },
    });
    expect(missingPins([quoted(source)], [], [empty, draft])).toEqual([]);
    expect(missingPins([quoted(other)], [], [empty, draft])).toEqual([quoted(other)]);
  });

  it("are found in the messages that they quote without looking through all messages for each", () => {
    const messages = messagesOf(
      Array.from({ length: 300 }, (_, at) => ["user", `Never push ${at}.`] as const),
    ) as readonly Message[];
    let looked = 0;
    const drafts = messages.map((message) => ({
      ...{ action: "include", chat: { role: "user", parts: message.parts } },
      get message() {
        looked++;
        return message;
      },
    }));
    const pins = messages.map((message, at) => pin(`Never push ${at}.`, message));
    expect(missingPins(pins, [], drafts as never)).toEqual([]);
    expect(looked).toBeLessThan(5 * drafts.length);
  });

  it("are reported as missing while live if their text is nowhere in the request", () => {
    const thread = threadOfEntries(
      { type: "message", message: { ...first, parts: [text("\u2003"), text("go")] } },
      { type: "pin", pin: pin("\u2003", first) },
    );
    expect(renderSample(thread).missingPins).toEqual(["pin \u2003"]);
  });
});
