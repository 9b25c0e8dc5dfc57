import { proseTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadProviderTokenizer } from "./provider-tokenizer.ts";
import { TiktokenTokenizer } from "./tiktoken-tokenizer.ts";

const openai = await loadProviderTokenizer("openai");
const claude = await loadProviderTokenizer("claude");
const gemini = await loadProviderTokenizer("gemini");

describe("provider tokenizers", () => {
  it("count text for OpenAI exactly as tiktoken does", async () => {
    const exact = await TiktokenTokenizer.load("o200k_base");
    fc.assert(
      fc.property(
        fc.oneof(
          proseTexts,
          fc.constantFrom("__proto__", "constructor"),
          fc.string({ unit: "grapheme", maxLength: 60 }),
        ),
        (text) => {
          expect(openai.countTokens(text)).toBe(exact.countTokens(text));
        },
      ),
      { numRuns: 200 },
    );
    exact.free();
  });

  it("scale the count by the ratio of the model family", () => {
    const text = "const value = await readConfiguration(path);\n".repeat(50);
    expect(gemini.countTokens(text)).toBe(Math.ceil(openai.countTokens(text) * 1.11));
    expect(claude.countTokens(text)).toBeGreaterThan(openai.countTokens(text));
  });

  it.each([openai, claude, gemini])("read special tokens as text", (tokenizer) => {
    expect(tokenizer.countTokens("<|endoftext|><EOT><META>")).toBeGreaterThan(3);
  });
});
