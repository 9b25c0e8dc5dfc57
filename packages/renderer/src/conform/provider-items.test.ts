import {
  asPinId,
  type ChatMessage,
  type JsonObject,
  type MessageInput,
  type OpaquePart,
  type Part,
  type ThreadEntryInput,
} from "@threadfold/core";
import { call, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { ANTHROPIC_REQUIREMENTS } from "../formats/anthropic-messages/requirements.ts";
import { OPENAI_RESPONSES_REQUIREMENTS } from "../formats/openai-responses/format.ts";
import { END_OF_HISTORY } from "../neutral/summary-message.ts";
import { renderSample } from "../testing/render-sample.ts";
import { messagesOf, pin, planWith, recordOver, textsOf, threadOf, threadOfEntries } from "../testing/sample-thread.ts";
import { opaqueReason } from "./parts/leave-out.ts";
import {
  holdsProviderItem,
  isAnswerOfHost,
  leaveItemOpen,
  newestProviderItem,
  pairItems,
  takesProviderItems,
} from "./provider-items.ts";

const opaqueOf =
  (provider: string) =>
  (value: OpaquePart["value"]): OpaquePart => ({ type: "opaque", provider, value });
const [openai, anthropic] = [opaqueOf("openai"), opaqueOf("anthropic")];
const said = (role: ChatMessage["role"], parts: readonly Part[], fields: Partial<ChatMessage> = {}): ChatMessage => ({
  ...{ role, parts, sources: [] },
  ...fields,
});

describe("an item that no provider sends", () => {
  const textless = { toString: null, valueOf: null };

  it.each(["constructor", "toString", "__proto__", textless])("is left out, however its type reads: %j", (type) => {
    const item = openai({ type, id: textless, call_id: textless });
    expect(opaqueReason(item, OPENAI_RESPONSES_REQUIREMENTS)).toBe("malformed");
  });

  it("has no partner, however the id of a call reads", () => {
    const call = anthropic({ type: "server_tool_use", id: textless });
    expect(pairItems([said("assistant", [call])], ANTHROPIC_REQUIREMENTS).paired.size).toBe(0);
  });
});

describe("provider items that are calls and answers", () => {
  const shell = (id: string | null) => openai({ type: "shell_call", call_id: id });
  const shown = (id: string | null) => openai({ type: "shell_call_output", call_id: id });
  const used = (id: string) => anthropic({ type: "server_tool_use", id });
  const found = (id: string) => anthropic({ type: "web_search_tool_result", tool_use_id: id });
  const paired = (messages: readonly ChatMessage[], requirements = OPENAI_RESPONSES_REQUIREMENTS) => {
    const parts = messages.flatMap((message) => message.parts);
    const { paired, callOf } = pairItems(messages, requirements);
    expect([...paired].length).toBe(2 * callOf.size);
    return [...callOf].map(([answer, called]) => [parts.indexOf(called), parts.indexOf(answer)]);
  };

  it("pair by id, each item once, in the order of the calls", () => {
    expect(paired([said("assistant", [shell("a"), shell("b")]), said("user", [shown("b"), shown("a")])])).toEqual([
      [1, 2],
      [0, 3],
    ]);
    expect(paired([said("assistant", [shell("a"), shown("a"), shown("a")])])).toEqual([[0, 1]]);
    expect(paired([said("assistant", [shown("a"), shell("a")])])).toEqual([]);
    expect(paired([said("assistant", [shell("a"), shown("a"), shell("a"), shown("a")])])).toEqual([[0, 1]]);
    expect(paired([said("assistant", [text("a"), call("a")]), said("tool", [result("a", "1")])])).toEqual([]);
  });

  it("pair without ids only within one message", () => {
    const search = (): OpaquePart => openai({ type: "tool_search_call", call_id: null, arguments: {} });
    const listed = openai({ type: "tool_search_output", call_id: null, tools: [] });
    expect(paired([said("assistant", [search(), search(), listed])])).toEqual([[0, 2]]);
    expect(paired([said("assistant", [search()]), said("user", [listed])])).toEqual([]);
  });

  it("have no partner in an item that is not sent", () => {
    expect(
      paired(
        [said("assistant", [used("s"), anthropic({ type: "web_search_tool_result", tool_use_id: "s", content: " " })])],
        ANTHROPIC_REQUIREMENTS,
      ),
    ).toEqual([]);
  });

  it("match any answer type with the ending that the provider uses", () => {
    const messages = [said("assistant", [used("s"), found("s")])];
    expect(paired(messages, ANTHROPIC_REQUIREMENTS)).toEqual([[0, 1]]);
    const other = anthropic({ type: "web_search_result", tool_use_id: "s" });
    expect(paired([said("assistant", [used("s"), other])], ANTHROPIC_REQUIREMENTS)).toEqual([]);
  });

  it("stay open until they are answered or somebody else speaks, which a summary counts as", () => {
    const open = (...messages: readonly ChatMessage[]) =>
      leaveItemOpen([said("assistant", [used("s")]), ...messages], ANTHROPIC_REQUIREMENTS);
    expect(open()).toBe(true);
    expect(open(said("tool", [result("a", "1")]))).toBe(true);
    expect(open(said("assistant", [text("so")]))).toBe(true);
    expect(open(said("assistant", [found("s")]))).toBe(false);
    expect(open(said("user", [text("on")]))).toBe(false);
    expect(open(said("system", [text("on")]))).toBe(false);
    const fold = text(`[Context Summary - Turns 1-2]\n${END_OF_HISTORY}`);
    expect(open(said("assistant", [fold], { synthetic: "summary" }))).toBe(false);
    expect(open(said("assistant", [fold], { synthetic: "pointer" }))).toBe(false);
    expect(open(said("assistant", [text("so")], { synthetic: "pointer" }))).toBe(true);
    expect(open(said("assistant", [call("a")], { synthetic: "pointer" }))).toBe(true);
    expect(leaveItemOpen([said("assistant", [shell("a")])], OPENAI_RESPONSES_REQUIREMENTS)).toBe(false);
  });

  it("count as answered by the host when the answer names its call", () => {
    const ofHost = (part: Part) => isAnswerOfHost(part, OPENAI_RESPONSES_REQUIREMENTS);
    expect([shown("a"), shown(null), shell("a"), result("a", "1"), text("x")].map(ofHost)).toEqual([
      ...[true, false, false, false, false],
    ]);
    expect(isAnswerOfHost(shown("a"), {})).toBe(false);
  });
});

describe("provider items that came with reasoning", () => {
  const thought = (fields: object = { encrypted: "ZW5j" }): Part => ({
    ...{ type: "reasoning", text: "", provider: "openai" },
    ...fields,
  });
  const listed = openai({ type: "mcp_list_tools", id: "mcpl_1", server_label: "s", tools: [] });
  const search = openai({ type: "web_search_call", id: "ws_1", status: "completed" });
  const screen = openai({ type: "computer_call", id: "cu_1", call_id: "c1" });
  const shot = openai({ type: "computer_call_output", call_id: "c1", output: {} });
  const shell = openai({ type: "shell_call", id: "sh_1", call_id: "c2" });
  const printed = openai({ type: "shell_call_output", call_id: "c2", output: [] });
  const written = messagesOf([
    ["user", "go"],
    ["assistant", listed, thought(), search, "found", screen, shell],
    ["user", shot, printed],
    ["user", "on"],
  ]).map((message) => (message.role === "assistant" ? { ...message, model: "gpt-5" } : message));
  const rendered = (messages: readonly MessageInput[], model: string) => {
    const thread = threadOfEntries(...messages.map((message) => ({ type: "message", message }) as const));
    const { payload, warnings } = renderSample(thread, { format: "openai-responses", model });
    return { input: payload.input.slice(1, -1) as readonly JsonObject[], warnings };
  };
  const unnamed = { type: "shell_call", call_id: "c2" };
  const said = { type: "message", role: "assistant", content: "found" };

  it("W16 are dropped, or lose their id, with the reasoning of another model, and so are their answers", () => {
    const { input, warnings } = rendered(written, "gpt-5-mini");
    expect(input).toEqual([listed.value, said, unnamed, printed.value]);
    expect(warnings).toEqual([
      { kind: "reasoning-left-out", reason: "other-model", messageIds: ["m2"] },
      { kind: "opaque-left-out", reason: "without-reasoning", messageIds: ["m2"] },
      { kind: "opaque-left-out", reason: "without-partner", messageIds: ["m3"] },
    ]);
    expect(rendered(written, "gpt-5").warnings).toEqual([]);
  });

  it("W16 are dropped when their reasoning lacks its encrypted content, and kept when they came without any", () => {
    const [go, answer, , on] = written as [MessageInput, MessageInput, MessageInput, MessageInput];
    const kinds = (...parts: readonly Part[]) =>
      rendered([go, { ...answer, parts }, on], "gpt-5").input.map(({ type }) => type);
    expect(kinds(thought({}), search, text("found"))).toEqual(["message"]);
    expect(kinds(search, thought(), text("found"))).toEqual(["web_search_call", "reasoning", "message"]);
    expect(kinds(search, text("found"))).toEqual(["web_search_call", "message"]);
    expect(kinds(thought({}), search, thought(), text("found"))).toEqual(["reasoning", "message"]);
  });

  it("W16 are dropped when a plan clears the reasoning", () => {
    const thread = threadOfEntries(...written.map((message) => ({ type: "message", message }) as const));
    const clear = { ...recordOver(thread, 2), action: "clear", targets: ["reasoning"], preservedFields: {} } as const;
    const { payload } = renderSample(thread, { format: "openai-responses", plan: planWith(thread, clear) });
    expect(payload.input.slice(1, -1)).toEqual([...[listed.value, said, unnamed, printed.value]]);
  });
});

describe("a provider item that replaces all earlier history", () => {
  const item = anthropic({ type: "compaction", content: "so far" });
  const target = { requirements: ANTHROPIC_REQUIREMENTS };

  it("is recognized by the provider's type and must have content", () => {
    const holds = (...parts: readonly Part[]) => holdsProviderItem({ parts }, target);
    expect(holds(text("x"), item)).toBe(true);
    expect(holds(text("x"))).toBe(false);
    expect(holds(anthropic({ type: "compaction", content: " " }))).toBe(false);
    expect(holds(anthropic({ type: "other", content: "so far" }))).toBe(false);
    expect(holds(openai({ type: "compaction", content: "so far" }))).toBe(false);
    expect(takesProviderItems(target)).toBe(true);
    const { standIn: _standIn, ...without } = ANTHROPIC_REQUIREMENTS;
    expect(takesProviderItems({ requirements: without })).toBe(false);
    expect(holdsProviderItem({ parts: [item] }, { requirements: without })).toBe(false);
  });

  it("is found by a search from the newest message of the main branch back to a given version", () => {
    const [first, second, third, side] = messagesOf([
      ["user", "go"],
      ["assistant", item],
      ["assistant", item],
      ["assistant", item],
    ]) as [MessageInput, MessageInput, MessageInput, MessageInput];
    const entries = [first, second, third, { ...side, branch: "side" }].map((message) => ({
      type: "message" as const,
      message,
    }));
    const thread = threadOfEntries(...entries, { type: "pin", pin: pin("never push") });
    expect([0, 2, 3].map((since) => newestProviderItem(thread, since, target))).toEqual(["m3", "m3", null]);
    const { standIn: _standIn, ...without } = ANTHROPIC_REQUIREMENTS;
    expect(newestProviderItem(thread, 0, { requirements: without })).toBeNull();
  });

  it("comes first in the request, and system messages and pins are repeated", () => {
    const [go, hurry, opens, more] = messagesOf([
      ["user", "go"],
      ["system", "hurry"],
      ["assistant", "before", item, "behind", call("a")],
      ["tool", result("a", "1")],
    ]) as [MessageInput, MessageInput, MessageInput, MessageInput];
    const thread = threadOfEntries(
      { type: "message", message: go },
      { type: "pin", pin: pin("never push") },
      { type: "message", message: hurry },
      { type: "message", message: opens },
      { type: "message", message: more },
    );
    const plan = { ...planWith(thread), version: 1, providerItem: opens.id };
    const { request } = renderSample(thread, { plan, format: "anthropic-messages" });
    expect(textsOf(request.messages).map((line) => line.split("\n")[0])).toEqual([
      "opaque|behind|tool-call",
      "tool-result",
      expect.stringContaining("hurry"),
      "[Pinned - still in force, word for word]",
    ]);
    const whole = renderSample(thread, { plan: planWith(thread), format: "anthropic-messages" }).request;
    expect(textsOf(whole.messages)[0]).toBe("go");
  });

  describe("and a pin made after the plan", () => {
    const [go, opens, on, end] = messagesOf([
      ["user", "Never push."],
      ["assistant", "I never pull.", item, "behind"],
      ["user", "on"],
      ["user", "end"],
    ]) as [MessageInput, MessageInput, MessageInput, MessageInput];
    const block = (rule: string) => `[Pinned - still in force, word for word]\n(user) "${rule}"`;
    const rendered = (entries: readonly ThreadEntryInput[], format = "anthropic-messages", action?: "drop") => {
      const seen = [go, opens].map((message) => ({ type: "message", message }) as const);
      const thread = threadOfEntries(...seen, ...entries, { type: "message", message: end });
      const records = action === undefined ? [] : [{ ...recordOver(thread, 2), action, keywords: [] } as const];
      const plan = { ...planWith(thread, ...records), version: 1, threadVersion: 2, providerItem: opens.id };
      const { request, missingPins } = renderSample(thread, { plan, format });
      return { texts: textsOf(request.messages), missingPins };
    };
    const said = (message: MessageInput) => ({ type: "message", message }) as const;
    const made = (rule: string, source: MessageInput): ThreadEntryInput => {
      return { type: "pin", pin: { ...pin(rule), source: { messageId: source.id, start: 0, end: rule.length } } };
    };

    it("is shown where it was made if the item stands for what it quotes, and what took it back, too", () => {
      const entries = [said(on), made("Never push.", go), made("I never pull.", opens)];
      const shown = ["opaque|behind", "on", block("Never push."), block("I never pull.")];
      const whole = rendered(entries);
      expect(whole).toEqual({ texts: [...shown, "end"], missingPins: [] });
      const lifted = { type: "pin-lifted", authority: "user", reason: "done", why: "taken-back" } as const;
      const { texts } = rendered([...entries, { ...lifted, pinId: asPinId("pin Never push.") }]);
      expect(texts).toEqual([...shown, '[Pin lifted - no longer in force]\n(user) "Never push."', "end"]);
    });

    it("is not repeated when the request shows what it quotes", () => {
      const shown = (rule: string, source: MessageInput, format?: string, action?: "drop") =>
        rendered([said(on), made(rule, source)], format, action);
      expect(shown("behind", opens).texts).toEqual(["opaque|behind", "on", "end"]);
      expect(shown("Never push.", go, "openai-chat").texts).toEqual([
        "Never push.",
        "I never pull.|behind",
        "on",
        "end",
      ]);
      expect(shown("Never push.", go, "anthropic-messages", "drop").texts[0]).toBe("Never push.");
      expect(shown("Never push.", go, "anthropic-messages", "drop").texts).not.toContain(block("Never push."));
    });
  });

  it("is dropped with a warning after a folded span", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", "one"],
      ["user", "on"],
      ["assistant", item, "two"],
      ["user", "end"],
    );
    const drop = { ...recordOver(thread, 2), action: "drop", keywords: [] } as const;
    const { request, warnings } = renderSample(thread, { plan: planWith(thread, drop), format: "anthropic-messages" });
    expect(textsOf(request.messages)).not.toContain("opaque|two");
    expect(warnings).toContainEqual({ kind: "opaque-left-out", reason: "misplaced", messageIds: ["m4"] });
    const kept = renderSample(thread, { format: "anthropic-messages" });
    expect(textsOf(kept.request.messages)).toContain("opaque|two");
    expect(kept.warnings).toEqual([]);
  });
});
