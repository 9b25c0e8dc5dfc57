import { afterAll, describe, expect, it } from "vitest";
import { TiktokenTokenizer } from "./tiktoken-tokenizer.ts";

const tokenizer = await TiktokenTokenizer.load("o200k_base");
const older = await TiktokenTokenizer.load("cl100k_base");
afterAll(() => {
  tokenizer.free();
  older.free();
});

describe("the tiktoken counter", () => {
  it("names its encoding in its id", () => {
    expect([tokenizer.id, older.id]).toEqual(["tiktoken:o200k_base", "tiktoken:cl100k_base"]);
  });

  it.each([
    ["", 0, 0],
    ["hello world", 2, 2],
    ["The quick brown fox jumps over the lazy dog.", 10, 10],
    ["antidisestablishmentarianism", 6, 6],
    ["你好，世界！", 4, 7],
  ])("spec-91 counts %j exactly", (text, tokens, olderTokens) => {
    expect([tokenizer.countTokens(text), older.countTokens(text)]).toEqual([tokens, olderTokens]);
  });

  it("counts what looks like a special token as ordinary text", () => {
    expect(tokenizer.countTokens("<|endoftext|>")).toBeGreaterThan(3);
    expect(tokenizer.countTokens("lone \ud800 surrogate")).toBeGreaterThan(0);
  });

  it("still counts after it was freed", () => {
    const before = older.countTokens("counted before and after");
    older.free();
    older.free();
    expect(older.countTokens("counted before and after")).toBe(before);
  });
});
