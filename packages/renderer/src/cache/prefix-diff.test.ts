import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages/format.ts";
import { renderInputs } from "../laws/render-inputs.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { renderSample } from "../testing/render-sample.ts";
import { messagesOf, planWith, recordOver, summaryOver, threadOf } from "../testing/sample-thread.ts";
import { prefixDiff } from "./prefix-diff.ts";

describe("prefixDiff", () => {
  const thread = threadOf(
    ["user", "one"],
    ["assistant", "two"],
    ["user", "three"],
    ["assistant", "four"],
    ["user", "five"],
  );
  const longer = thread.append(
    messagesOf(
      [
        ["assistant", "six"],
        ["user", "seven"],
      ],
      6,
    ),
  );
  const plain = renderSample(thread);
  const summary = (fact: string) => planWith(thread, summaryOver(thread, [2, 3, 4], fact));
  const textOf = (...[a, b]: Parameters<typeof prefixDiff>) => prefixDiff(a, b)?.text;

  it("returns null when a request only adds to the earlier one", () => {
    expect(prefixDiff(plain, plain)).toBeNull();
    expect(prefixDiff(plain, renderSample(longer))).toBeNull();
  });

  it("names the message, the fold and the turns where two requests diverge", () => {
    const [first, second] = [
      renderSample(thread, { plan: summary("a") }),
      renderSample(thread, { plan: summary("b") }),
    ];
    expect(prefixDiff(first, second)).toEqual({
      message: 1,
      kind: "content",
      reason: "summary of turns 1-2 changed",
      text: "diverged at message 1: summary of turns 1-2 changed",
    });
    expect(textOf(plain, first)).toBe(
      "diverged at message 1: summary of turns 1-2 is new (test: because the test says so)",
    );
    const cleared = planWith(thread, {
      ...recordOver(thread, 2),
      action: "clear",
      targets: ["text"],
      preservedFields: {},
    });
    expect(textOf(plain, renderSample(thread, { plan: cleared }))).toBe(
      "diverged at message 1: placeholder of assistant message m2 is new (test: because the test says so)",
    );
    const wider = planWith(thread, summaryOver(thread, [2, 3, 4, 5], "a"));
    expect(textOf(first, renderSample(longer, { plan: wider }))).toBe(
      "diverged at message 1: summary of turns 1-2 became summary of turns 1-3",
    );
    const within = planWith(thread, summaryOver(thread, [2, 3], "b"));
    expect(textOf(renderSample(thread, { plan: within }), first)).toBe(
      "diverged at message 1: summary of turns 1-2 goes up to message m4 and went up to message m3",
    );
    const dropped = planWith(thread, { ...recordOver(thread, 2, 3), action: "drop", keywords: [] });
    expect(textOf(plain, renderSample(thread, { plan: dropped }))).toBe(
      "diverged at message 1: assistant message m4 stands where assistant message m2 stood",
    );
  });

  it("names changes of system text and tools, and messages that only the earlier request had", () => {
    expect(textOf(plain, renderSample(thread, { system: ["x"] }))).toBe(
      "diverged before the first message: the system text changed",
    );
    expect(textOf(plain, renderSample(thread, { tools: [{ name: "a", inputSchema: {} }] }))).toBe(
      "diverged before the first message: the tool definitions changed",
    );
    const open = renderSample(thread.atVersion(4));
    expect(textOf(open, plain)).toBe("diverged at message 4: the continuation is gone");
    expect(textOf(renderSample(longer), plain)).toBe(
      "diverged at message 5: assistant message m6 and what follows is gone",
    );
    expect(textOf(plain, renderSample(thread, { format: "openai-chat" }))).toContain("the format is openai-chat");
  });

  it("agrees with the prefix digests for any thread", () => {
    fc.assert(
      fc.property(renderInputs, fc.nat(), (input, cut) => {
        const { thread: whole } = input;
        const earlier = renderRequest(
          { ...input, thread: whole.atVersion(cut % (whole.version + 1)) },
          anthropicMessages,
        );
        const later = renderRequest(input, anthropicMessages);
        const [a, b] = [earlier.manifest.prefixDigests, later.manifest.prefixDigests];
        const index = a.findIndex((digest, place) => digest !== b[place]);
        const found = prefixDiff(earlier, later);
        if (found === null || found.message >= 0) expect(found?.message ?? -1).toBe(index);
        else expect(a[0] === b[0] && a.length > 0).toBe(false);
        expect(found?.text ?? "").not.toContain("undefined");
      }),
      { numRuns: 100 },
    );
  });
});
