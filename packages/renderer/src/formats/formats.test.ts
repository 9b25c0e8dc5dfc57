import { ThreadfoldError } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { FORMAT_NAMES, FORMATS, formatById } from "./formats.ts";

describe("formatById", () => {
  it("finds every format by its id", () => {
    expect(FORMATS.map(({ id }) => formatById(id))).toEqual(FORMATS);
    expect(FORMATS.map(({ id }) => id)).toEqual([
      "anthropic-messages",
      "openai-chat",
      "openai-responses",
      "gemini",
      "gemini-interactions",
      "ai-sdk",
      "neutral",
    ]);
  });

  it("are found by every name that is known, the short ones included", () => {
    expect(FORMAT_NAMES.map((name) => formatById(name).id)).toEqual([
      "anthropic-messages",
      ...FORMATS.map(({ id }) => id),
    ]);
  });

  it("names the known ones when there is none", () => {
    expect(() => formatById("cohere")).toThrow(/no request format cohere/);
    try {
      formatById("cohere");
    } catch (error) {
      expect(ThreadfoldError.isInstance(error) && [error.code, error.hint]).toEqual([
        "INVALID_CONFIG",
        "Name one of: anthropic, anthropic-messages, openai-chat, openai-responses, gemini, gemini-interactions, ai-sdk, neutral. A format of your own is passed itself, as format or, where requests are replayed, in formats.",
      ]);
    }
  });
});

describe("legality tables", () => {
  it.each(FORMATS.map((format) => [format.id, format] as const))(
    "of %s are data: ids, sentences, references",
    (_id, { rules }) => {
      for (const { id, description, reference } of rules.rules) {
        expect(id).toMatch(/^(W\d+|[a-z-]+)$/);
        expect(description).toMatch(/\.$/);
        expect(reference).not.toBe("");
      }
      expect(() => JSON.stringify(rules.requirements)).not.toThrow();
    },
  );
});
