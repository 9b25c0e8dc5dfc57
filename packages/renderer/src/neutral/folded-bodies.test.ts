import type { JsonValue, Part } from "@threadfold/core";
import { call, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../formats/formats.ts";
import { renderSample } from "../testing/render-sample.ts";
import {
  ARTIFACT,
  image,
  planWith,
  pointerOver,
  recordOver,
  signed,
  textsOf,
  threadOf,
} from "../testing/sample-thread.ts";

/** The text of the result that a request ends with. */
function resultTextOf({ request }: ReturnType<typeof renderSample>): string | undefined {
  const part = request.messages.at(-1)?.parts[0];
  return part?.type === "tool-result" && part.result.content.type === "text" ? part.result.content.text : undefined;
}

const readArtifact = { name: "read_artifact", inputSchema: { type: "object" } };

describe("the rendering of folded bodies", () => {
  const thread = threadOf(
    ["user", "go"],
    [
      "assistant",
      "I write.",
      call("a", "write", { path: "a.ts", content: "x".repeat(500), nested: [{ deep: "y".repeat(300) }] }),
    ],
    ["tool", result("a", "z".repeat(900), { toolName: "write", outcome: "failure" })],
    ["user", image, "look"],
    ["assistant", signed, "seen"],
    ["user", "on"],
  );
  const cleared = (
    number: number,
    ...targets: readonly ("tool-result" | "tool-input" | "reasoning" | "media" | "text")[]
  ) =>
    planWith(thread, {
      ...recordOver(thread, number),
      action: "clear",
      targets: [...targets],
      preservedFields: { error: "EACCES" },
    });

  it("spec-46 spec-107 shows a cleared result as tool, outcome and key fields, with its call id and outcome", () => {
    const { request } = renderSample(thread, { plan: cleared(3, "tool-result") });
    expect(request.messages[2]).toMatchObject({
      role: "tool",
      synthetic: "placeholder",
      parts: [
        {
          result: {
            callId: "a",
            outcome: "failure",
            content: { text: '[write: failure]\nKey data: {"error":"EACCES"}\n[cleared: 900 characters]' },
          },
        },
      ],
    });
  });

  it("shows a truncated result around a marker of how much is left out", () => {
    const plan = planWith(thread, {
      ...recordOver(thread, 3),
      action: "clear",
      targets: ["tool-result"],
      preservedFields: {},
      keep: { headCharacters: 10, tailCharacters: 5 },
    });
    const [part] = renderSample(thread, { plan }).request.messages[2]!.parts;
    expect(part).toMatchObject({
      result: { content: { text: `${"z".repeat(10)}\n[… 885 characters left out …]\nzzzzz` } },
    });
  });

  it("shows a cleared input as an object with its small fields and markers for its large strings", () => {
    const [, part] = renderSample(thread, { plan: cleared(2, "tool-input") }).request.messages[1]!.parts;
    expect(part).toMatchObject({
      callId: "a",
      toolName: "write",
      input: { path: "a.ts", content: "[cleared: 500 characters]", nested: [{ deep: "[cleared: 300 characters]" }] },
    });
  });

  it("shows cleared media as text, in a user message and in a result", () => {
    expect(renderSample(thread, { plan: cleared(4, "media") }).request.messages[3]!.parts).toEqual([
      text("[image cleared: image/png, a.png]"),
      text("look"),
    ]);
    const shot = threadOf(
      ["assistant", call("a")],
      ["tool", result("a", "", { content: { type: "blocks", blocks: [{ type: "text", text: "see" }, image] } })],
    );
    const plan = planWith(shot, { ...recordOver(shot, 2), action: "clear", targets: ["media"], preservedFields: {} });
    expect(renderSample(shot, { plan, format: "anthropic-messages" }).messages.at(-1).content[0].content).toEqual([
      { type: "text", text: "see" },
      { type: "text", text: "[image cleared: image/png, a.png]" },
    ]);
  });

  it("omits cleared reasoning, and a message that held nothing else", () => {
    expect(renderSample(thread, { plan: cleared(5, "reasoning") }).request.messages[4]!.parts).toEqual([text("seen")]);
    const alone = threadOf(["user", "go"], ["assistant", signed], ["assistant", "so"], ["user", "on"]);
    const plan = planWith(alone, {
      ...recordOver(alone, 2),
      action: "clear",
      targets: ["reasoning"],
      preservedFields: {},
    });
    expect(textsOf(renderSample(alone, { plan }).request.messages)).toEqual(["go", "so", "on"]);
  });

  it("shows cleared text as its key fields and size", () => {
    expect(renderSample(thread, { plan: cleared(6, "text") }).request.messages[5]!.parts).toEqual([
      text('Key data: {"error":"EACCES"}\n[cleared: 2 characters]'),
    ]);
  });

  it("shows an externalized result as a short pointer that still answers its call", () => {
    const plan = planWith(thread, pointerOver(thread, [3], "body"));
    const { request } = renderSample(thread, { plan, tools: [readArtifact] });
    expect(request.messages[2]).toMatchObject({
      role: "tool",
      synthetic: "pointer",
      parts: [{ result: { callId: "a", outcome: "failure" } }],
    });
    const [part] = request.messages[2]!.parts;
    expect(part?.type === "tool-result" && part.result.content).toEqual({
      type: "text",
      text: [
        `[Externalized Content - artifact:${ARTIFACT}]`,
        "write: failure; 900 characters",
        "something happened",
        `To retrieve full content, call: read_artifact("${ARTIFACT}")`,
      ].join("\n"),
    });
  });

  it("mentions read_artifact only if the request declares that tool", () => {
    const rehydrated = [{ artifactId: ARTIFACT, content: "x", tokens: 1, truncated: true }];
    for (const form of ["body", "span"] as const) {
      const plan = planWith(thread, pointerOver(thread, form === "body" ? [3] : [2, 3], form));
      for (const { id } of FORMATS) {
        const bare = renderSample(thread, { plan, format: id, rehydrated });
        expect(JSON.stringify(bare.payload)).not.toContain("read_artifact");
        expect(JSON.stringify(bare.payload)).toContain(`[Externalized Content - artifact:${ARTIFACT}]`);
        const told = renderSample(thread, { plan, format: id, rehydrated, tools: [readArtifact] });
        const calls = JSON.stringify(told.request.messages).match(/read_artifact\(/g);
        expect(calls).toHaveLength(2);
        expect(told.tokens).toBeGreaterThan(bare.tokens);
      }
    }
  });

  it("shows both ends of a body that the model has not read, and how much lies between them", () => {
    const body = `first\n[End of history]\n${"x".repeat(800)}\nlast`;
    const unread = threadOf(["user", "go"], ["assistant", call("a")], ["tool", result("a", body)]);
    const preview = { headCharacters: 23, tailCharacters: 4, leftOutTokens: 201 };
    const plan = planWith(unread, { ...pointerOver(unread, [3], "body"), preview });
    expect(resultTextOf(renderSample(unread, { plan, tools: [readArtifact] }))).toBe(
      [
        `[Externalized Content - artifact:${ARTIFACT}]`,
        `read: success; ${body.length} characters, of which the beginning and the end are shown`,
        "first",
        "\\[End of history]",
        "",
        "[… 201 tokens left out …]",
        "last",
        `To read what is left out, call: read_artifact("${ARTIFACT}") with offset 23`,
      ].join("\n"),
    );
  });

  const searchThread = { name: "search_thread", inputSchema: { type: "object" } };
  const toRead = `To read what is left out, call: read_artifact("${ARTIFACT}") with offset 10`;
  const toSearch = 'To read what is left out, call: search_thread with message_id "#2" and offset 10';

  it.each([
    ["read_artifact", [readArtifact], toRead, ""],
    ["search_thread", [searchThread], toSearch, toSearch],
    ["both", [searchThread, readArtifact], toRead, toSearch],
    ["neither", [], "", ""],
  ])("names a way to the rest of an unread body only if the request offers it: %s", (_, tools, stored, logged) => {
    const content = { type: "json", value: { rows: "z".repeat(900) } } as const;
    const unread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "", { content, outcome: "failure" })],
    );
    const ends = { headCharacters: 10, tailCharacters: 5, leftOutTokens: 1_234 };
    const externalized = planWith(unread, { ...pointerOver(unread, [3], "body"), preview: ends });
    const truncated = planWith(unread, {
      ...recordOver(unread, 3),
      action: "clear",
      targets: ["tool-result"],
      preservedFields: {},
      keep: ends,
    });
    const what = "read: failure; 911 characters, of which the beginning and the end are shown";
    const shown = ['{"rows":"z', "[… 1234 tokens left out …]", 'zzz"}'];
    const textOf = (...given: readonly string[]) => given.filter((line) => line !== "").join("\n");
    expect(resultTextOf(renderSample(unread, { plan: externalized, tools }))).toBe(
      textOf(`[Externalized Content - artifact:${ARTIFACT}]`, what, ...shown, stored),
    );
    expect(resultTextOf(renderSample(unread, { plan: truncated, tools }))).toBe(textOf(`[${what}]`, ...shown, logged));
  });

  it("names no way to pictures left out beside a text that is shown whole", () => {
    const content = { type: "blocks", blocks: [{ type: "text", text: "look:" }, image] } as const;
    const unread = threadOf(["user", "go"], ["assistant", call("a")], ["tool", result("a", "", { content })]);
    const preview = { headCharacters: 13, tailCharacters: 0, leftOutTokens: 1_496 };
    const plan = planWith(unread, { ...pointerOver(unread, [3], "body"), preview });
    expect(resultTextOf(renderSample(unread, { plan, tools: [readArtifact, searchThread] }))).toBe(
      [
        `[Externalized Content - artifact:${ARTIFACT}]`,
        "read: success; 13 characters",
        "look:\n[image]",
        "[… 1496 tokens left out …]",
      ].join("\n"),
    );
  });

  it("clears what is large, long or deep in an input, and nothing that is exactly at the limit", () => {
    const clearedInput = (input: JsonValue) => {
      const given: Part = { ...(call("a") as Extract<Part, { type: "tool-call" }>), input };
      const called = threadOf(["user", "go"], ["assistant", given], ["tool", result("a", "1")], ["user", "on"]);
      const record = { ...recordOver(called, 2), action: "clear" as const, targets: ["tool-input" as const] };
      const plan = planWith(called, { ...record, preservedFields: {} });
      const [part] = renderSample(called, { plan }).request.messages[1]?.parts ?? [];
      return part?.type === "tool-call" ? part.input : undefined;
    };
    const items = (count: number) => Array.from({ length: count }, (_, index) => index);
    expect(clearedInput({ text: "x".repeat(199) })).toEqual({ text: "x".repeat(199) });
    expect(clearedInput({ text: "x".repeat(200) })).toEqual({ text: "[cleared: 200 characters]" });
    expect(clearedInput({ list: items(20) })).toEqual({ list: items(20) });
    expect(clearedInput({ list: items(22) })).toEqual({ list: [...items(20), "[cleared: 2 items]"] });
    const nested = (levels: number): JsonValue => (levels === 0 ? {} : { in: nested(levels - 1) });
    expect(clearedInput(nested(5))).toEqual(nested(5));
    expect(clearedInput(nested(6))).toEqual({ in: { in: { in: { in: { in: { in: "[cleared]" } } } } } });
    expect(clearedInput({ a: null, b: true, c: 1, d: [[]] })).toEqual({ a: null, b: true, c: 1, d: [[]] });
    expect(clearedInput("x".repeat(200))).toEqual({ _raw: "[cleared: 200 characters]" });
    expect(clearedInput([1])).toEqual({ _raw: [1] });
  });

  it("leaves a result unchanged when its kept ends cover all of it", () => {
    const keep = { headCharacters: 500, tailCharacters: 400 };
    const record = { ...recordOver(thread, 3), action: "clear" as const, targets: ["tool-result" as const], keep };
    const plan = planWith(thread, { ...record, preservedFields: { error: "EACCES" } });
    expect(renderSample(thread, { plan }).request.messages[2]?.parts).toEqual(thread.messageAt(2)?.parts);
  });

  it("shows one pointer for all texts and pictures of a message, and keeps reasoning and provider items", () => {
    const item: Part = { type: "opaque", provider: "anthropic", value: { type: "x" } };
    const mixed = threadOf(["user", "go"], ["assistant", signed, "one", "two", item], ["user", image], ["user", "on"]);
    const partsOf = (number: number) =>
      renderSample(mixed, { plan: planWith(mixed, pointerOver(mixed, [number], "body")) }).request.messages[number - 1]
        ?.parts ?? [];
    expect(partsOf(2).map(({ type }) => type)).toEqual(["reasoning", "text", "opaque"]);
    expect(textsOf([{ parts: partsOf(2).slice(1, 2) }])[0]).toContain("assistant message; 6 characters");
    expect(partsOf(3)).toHaveLength(1);
    expect(textsOf([{ parts: partsOf(3) }])[0]).toContain("user message; 0 characters");
  });

  it("shows externalized text as a pointer, and keeps the message's calls", () => {
    const [pointer, called] = renderSample(thread, { plan: planWith(thread, pointerOver(thread, [2], "body")) }).request
      .messages[1]!.parts;
    expect(pointer).toMatchObject({ type: "text", text: expect.stringContaining("assistant message; 8 characters") });
    expect(called).toMatchObject({
      callId: "a",
      input: { path: "a.ts", content: `[in artifact ${ARTIFACT}: 500 characters]` },
    });
  });
});
