import {
  AppendOnlyList,
  type ChatMessage,
  type ChatRequest,
  type JsonObject,
  type JsonValue,
  type Part,
  type SyntheticKind,
} from "@threadfold/core";
import { call, result, text } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages/format.ts";
import { markBreakpoints } from "../formats/anthropic-messages/mark-breakpoints.ts";
import { renderInputs } from "../laws/render-inputs.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { type AnyJson, renderSample } from "../testing/render-sample.ts";
import { type MessageSpec, messagesOf, planWith, signed, summaryOver, threadOf } from "../testing/sample-thread.ts";
import { breakpointPlaces } from "./breakpoint-places.ts";

/** Each marked block as `message.block`, with `system` and `tools` first. */
function marksOf({ system = [], tools = [], messages }: AnyJson): readonly string[] {
  const marked = (list: AnyJson, name: string) =>
    list.flatMap(({ cache_control: mark }: AnyJson) => (mark === undefined ? [] : [name]));
  const blocks = messages.flatMap(({ content }: AnyJson, message: number) =>
    content.flatMap(({ cache_control: mark }: AnyJson, block: number) => (mark ? [`${message}.${block}`] : [])),
  );
  return [...marked(tools, "tools"), ...marked(system, "system"), ...blocks];
}

const lowered = (sample: ReturnType<typeof renderSample>, previous?: ReturnType<typeof renderSample>) =>
  anthropicMessages.lower(sample.request, { cache: previous === undefined ? {} : { previous: previous.request } })
    .payload;

describe("cache breakpoints", () => {
  const first = threadOf(
    ["user", "go"],
    ["assistant", "one"],
    ["user", "two"],
    ["assistant", signed, call("a")],
    ["tool", result("a", "ok")],
  );
  const longer = first.append(
    messagesOf(
      [
        ["assistant", call("b")],
        ["tool", result("b", "ok")],
      ],
      6,
    ),
  );
  const plan = planWith(first, summaryOver(first, [1, 2]));
  const options = { plan, format: "anthropic-messages", system: ["s"], summaryRole: "user" } as const;

  it("follow the system text, the folds, the end of the previous request and the newest message", () => {
    const before = renderSample(first, options);
    const after = renderSample(longer, options);
    expect(marksOf(lowered(before))).toEqual(["system", "0.0", "2.0"]);
    expect(marksOf(lowered(after, before))).toEqual(["system", "0.0", "2.0", "4.0"]);
    expect(marksOf(before.payload)).toEqual([]);
  });

  it("follow the tools when there is no system text, and skip thinking and temporary messages", () => {
    const thread = threadOf(["user", "go"], ["assistant", "so"], ["user", "on"], ["assistant", signed, text("x")]);
    const rendered = renderSample(thread, {
      format: "anthropic-messages",
      tools: [{ name: "read", inputSchema: {} }],
    });
    expect(marksOf(lowered(rendered))).toEqual(["tools", "3.1"]);
    expect(rendered.messages.at(-1)?.role).toBe("user");
  });

  it("never follow the placeholder of a result that may still arrive", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "ok")],
      ["assistant", call("b"), call("c")],
      ["tool", result("c", "ok")],
    );
    const { request } = renderSample(thread, { format: "anthropic-messages" });
    expect(request.messages.map(({ synthetic }) => synthetic)).toEqual([
      ...[undefined, undefined, undefined, undefined],
      ...["missing-result", undefined],
    ]);
    // The two calls are message 3; behind them stands the stand-in, which the result of the first will replace.
    expect(breakpointPlaces(request, { most: 4, lookBackBlocks: 20 }).messages).toEqual([3]);
    const later = thread.append(messagesOf([["user", "go on"]], 6));
    const { request: left } = renderSample(later, { format: "anthropic-messages" });
    expect(breakpointPlaces(left, { most: 4, lookBackBlocks: 20 }).messages).toEqual([3]);
    const answered = later.append(
      messagesOf(
        [
          ["assistant", "so"],
          ["user", "and?"],
        ],
        7,
      ),
    );
    const { request: after } = renderSample(answered, { format: "anthropic-messages" });
    expect(breakpointPlaces(after, { most: 4, lookBackBlocks: 20 }).messages).toEqual([8]);
  });

  it("include a spare one twenty blocks back when the previous request is unknown", () => {
    const steps = Array.from({ length: 15 }, (_, index): readonly MessageSpec[] => [
      ["assistant", call(`c${index}`)],
      ["tool", result(`c${index}`, "ok")],
    ]);
    const thread = threadOf(["user", "go"], ...steps.flat());
    const { request } = renderSample(thread, { format: "anthropic-messages" });
    const marks = marksOf(anthropicMessages.lower(request, { cache: { ttl: "1h" } }).payload);
    // A tool result is message n and block 0 of its own: 31 blocks, the newest is the last, the spare one 20 before it.
    expect(marks).toEqual(["tools", "10.0", "30.0"]);
  });

  it("stay within the provider's limit, which counts the frame, and keep the newest", () => {
    const said = (role: "user" | "assistant", synthetic?: SyntheticKind): ChatMessage => ({
      ...{ role, parts: [text("x")], sources: [] },
      ...(synthetic !== undefined && { synthetic }),
    });
    const messages = [
      said("user", "placeholder"),
      said("assistant", "summary"),
      said("user"),
      said("assistant"),
      said("user"),
    ];
    const request = { system: ["s"], tools: [], messages };
    const previous = { ...request, messages: messages.slice(0, 3) };
    const places = (most: number, lookBackBlocks = 20, from: ChatRequest = request) =>
      breakpointPlaces(from, { previous, most, lookBackBlocks });
    expect(places(4)).toEqual({ frame: true, messages: [1, 2, 4] });
    expect(places(3)).toEqual({ frame: true, messages: [2, 4] });
    expect(places(2)).toEqual({ frame: true, messages: [4] });
    expect(places(1)).toEqual({ frame: true, messages: [] });
    expect(places(0)).toEqual({ frame: false, messages: [] });
    const bare = { ...request, system: [] };
    expect(breakpointPlaces(bare, { most: 1, lookBackBlocks: 20 })).toEqual({ frame: false, messages: [4] });
    expect(
      breakpointPlaces({ ...bare, tools: [{ name: "t", inputSchema: {} }] }, { most: 1, lookBackBlocks: 20 }).frame,
    ).toBe(true);
    // A spare one stands as many blocks back as the provider looks.
    expect(
      [1, 2, 3, 4, 5].map((blocks) => breakpointPlaces(request, { most: 4, lookBackBlocks: blocks }).messages),
    ).toEqual([
      [1, 3, 4],
      [1, 2, 4],
      [1, 4],
      [0, 1, 4],
      [1, 4],
    ]);
    const opened = { ...request, messages: [said("user", "placeholder"), ...messages.slice(2)] };
    expect(breakpointPlaces(opened, { most: 4, lookBackBlocks: 20 }).messages).toEqual([3]);
    const first = { ...request, messages: [said("user", "missing-result")] };
    expect(breakpointPlaces(first, { most: 4, lookBackBlocks: 20 }).messages).toEqual([]);
  });

  it("W17 number at most four for any thread, and change neither legality nor content of the request", () => {
    fc.assert(
      fc.property(renderInputs, (input) => {
        const { request, manifest } = renderRequest(input, anthropicMessages);
        const plain = anthropicMessages.lower(request).payload;
        const { payload } = anthropicMessages.lower(request, { cache: { previous: request } });
        expect(marksOf(payload).length).toBeLessThanOrEqual(4);
        expect(anthropicMessages.check(payload, manifest)).toEqual([]);
        const bare = (marked: AnyJson) =>
          JSON.parse(JSON.stringify(marked), (key, value) => (key === "cache_control" ? undefined : value));
        expect(bare(payload)).toEqual(bare(plain));
      }),
      { numRuns: 100 },
    );
  });

  it("P9: marking a growing payload reads only the new messages and the few that it marks", () => {
    let reads = 0;
    const item = (index: number): JsonObject => ({
      role: index % 2 === 0 ? "user" : "assistant",
      get content() {
        reads++;
        return [{ type: "text", text: `Message ${index}.` }];
      },
    });
    const chat = (index: number): ChatMessage => ({
      role: index % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text: `Message ${index}.` }],
      sources: [],
    });
    let items = AppendOnlyList.empty<JsonObject>();
    let chats = AppendOnlyList.empty<ChatMessage>();
    let previous: ChatRequest | undefined;
    const readsAt: number[] = [];
    for (let index = 0; index < 1_000; index++) {
      items = items.append([item(index)]);
      chats = chats.append([chat(index)]);
      const request = { system: [], tools: [], messages: chats.followedBy([]) };
      reads = 0;
      const cache = previous === undefined ? {} : { previous };
      const marked = markBreakpoints({ messages: items.followedBy([]) as JsonValue[] }, request, cache);
      readsAt.push(reads);
      expect((marked["messages"] as readonly unknown[]).length).toBe(index + 1);
      previous = request;
    }
    expect(Math.max(...readsAt.slice(100))).toBe(readsAt[100]);
    expect(readsAt[100]).toBeLessThan(12);
  });

  it("W17 that a thread brings along count in order: tools, system text, then messages and results", () => {
    const providerMetadata = { anthropic: { cache_control: { type: "ephemeral" } } };
    const tool = (name: string) => ({ name, inputSchema: { type: "object" }, providerMetadata });
    const marked = (value: string) => ({ type: "text", text: value, providerMetadata }) as const;
    const answer: Part = {
      type: "tool-result",
      result: {
        ...(result("a", "") as Extract<Part, { type: "tool-result" }>).result,
        content: { type: "blocks", blocks: [marked("x"), marked("y")] },
      },
    };
    const thread = threadOf(["user", marked("go")], ["assistant", call("a")], ["tool", answer], ["user", marked("on")]);
    const marksWith = (tools: number, system: number) => {
      const { payload, warnings } = renderSample(thread, {
        format: "anthropic-messages",
        tools: Array.from({ length: tools }, (_, index) => tool(`t${index}`)),
        system: Array.from({ length: system }, (_, index) => ({ text: `s${index}`, providerMetadata })),
      });
      const of = (list: readonly AnyJson[] | undefined) => (list ?? []).filter((one) => one.cache_control).length;
      const results = payload.messages[2].content[0].content;
      const lost = warnings
        .filter(({ kind }) => kind === "cache-mark-left-out")
        .flatMap(({ messageIds }) => messageIds);
      return [of(payload.tools), of(payload.system), of(payload.messages[0].content), of(results), lost];
    };
    expect(marksWith(0, 0)).toEqual([0, 0, 1, 2, []]);
    expect(marksWith(1, 0)).toEqual([1, 0, 1, 2, ["m4"]]);
    expect(marksWith(1, 1)).toEqual([1, 1, 1, 0, ["m3"]]);
    expect(marksWith(2, 3)).toEqual([2, 2, 0, 0, ["m1", "m3", "m4"]]);
    expect(marksWith(5, 1)).toEqual([4, 0, 0, 0, ["m1", "m3", "m4"]]);
  });

  it("W17 that a thread brings along are dropped from the fifth on, with a warning", () => {
    const cached = (value: string) =>
      ({
        type: "text",
        text: value,
        providerMetadata: { anthropic: { cache_control: { type: "ephemeral" } } },
      }) as const;
    const thread = threadOf(["user", cached("1"), cached("2"), cached("3"), cached("4"), cached("5")]);
    const { payload, warnings, format } = renderSample(thread, { format: "anthropic-messages" });
    expect(marksOf(payload)).toEqual(["0.0", "0.1", "0.2", "0.3"]);
    expect(warnings).toEqual([{ kind: "cache-mark-left-out", messageIds: ["m1"] }]);
    expect(format.check(payload)).toEqual([]);
    expect(marksOf(anthropicMessages.lower(renderSample(thread).request, { cache: {} }).payload)).toEqual(["0.4"]);
  });
});
