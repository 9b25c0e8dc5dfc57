import { AgentThread, asMessageId, asThreadId, visibleText } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeWords, spanEvidence } from "./span-evidence.ts";

describe("codeWords", () => {
  it.each([
    ["It fails in src/lib/parser.ts, at line 1042.", ["src/lib/parser.ts", "1042"]],
    [
      "Call parse_header_v2 or README.md; see ~/notes and /etc/hosts.",
      ["parse_header_v2", "README.md", "~/notes", "/etc/hosts"],
    ],
    ["Commit 4f2a9c1 of version 1.20.3-beta.", ["4f2a9c1", "1.20.3-beta"]],
  ])("finds code words that must be copied exactly in: %s", (text, words) => {
    expect(codeWords(text)).toEqual(words);
  });

  it.each([
    "Read and/or write it, e.g. the 2nd time in 30ms.",
    "Der Parser läuft nicht.",
    "解析器很慢",
    "It is 12 of 13.",
  ])("finds no code words in plain text: %s", (text) => {
    expect(codeWords(text)).toEqual([]);
  });
});

const text = fc.string({ unit: fc.constantFrom(..."ab_./:-=, \"'\n("), maxLength: 30 });
const messagesOf = (texts: readonly string[]) => [
  ...AgentThread.empty(asThreadId("t")).append(
    texts.map((said, index) => ({
      id: asMessageId(`m${index}`),
      role: "user" as const,
      createdAt: "2026-01-01T00:00:00Z",
      parts: [{ type: "text" as const, text: said }],
    })),
  ).messages,
];

describe("evidence in a span", () => {
  it("holds exactly the strings that occur in one of its messages", () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 5 }),
        fc.array(text, { maxLength: 5 }),
        fc.nat(),
        (said, asked, at) => {
          const messages = messagesOf(said);
          const evidence = spanEvidence(messages, new Set(), null);
          const pieces = said.map((whole) => whole.slice(at % 7, (at % 7) + 6));
          for (const piece of [...asked, ...pieces])
            expect(evidence.holds(piece)).toBe(messages.some((message) => visibleText(message).includes(piece)));
        },
      ),
      runs(500),
    );
  });
});
