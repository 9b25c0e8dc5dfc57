import { describe, expect, it } from "vitest";
import { codeWords } from "./code-words.ts";

describe("codeWords", () => {
  it.each([
    ["It fails in src/lib/parser.ts, at line 1042.", ["src/lib/parser.ts", "1042"]],
    [
      "Call parse_header_v2 or README.md; see ~/notes and /etc/hosts.",
      ["parse_header_v2", "README.md", "~/notes", "/etc/hosts"],
    ],
    ["Commit 4f2a9c1 of version 1.20.3-beta.", ["4f2a9c1", "1.20.3-beta"]],
  ])("finds what is copied exactly or wrong in: %s", (text, words) => {
    expect(codeWords(text)).toEqual(words);
  });

  it.each([
    "Read and/or write it, e.g. the 2nd time in 30ms.",
    "Der Parser läuft nicht.",
    "解析器很慢",
    "It is 12 of 13.",
  ])("leaves plain words alone: %s", (text) => {
    expect(codeWords(text)).toEqual([]);
  });
});
