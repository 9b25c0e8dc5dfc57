import { describe, expect, it } from "vitest";
import { contextWindow, DEFAULT_CONTEXT_WINDOW } from "./model-windows.ts";

describe("contextWindow", () => {
  it.each([
    ["gpt-4o", 128_000],
    ["gpt-4-turbo", 128_000],
    ["gpt-4", 8_192],
    ["claude-3-5-sonnet-20240620", 200_000],
    ["claude-3-haiku-20240307", 200_000],
    ["a-model-of-tomorrow", 128_000],
  ])("seed 003: %s has %i", (model, tokens) => {
    expect(contextWindow(model)).toBe(tokens);
  });

  it("goes by the longest name that the model's name begins with", () => {
    expect([contextWindow("gpt-4-0613"), contextWindow("gpt-4o-2024-08-06"), contextWindow("gpt-4.1-mini")]).toEqual([
      8_192, 128_000, 1_047_576,
    ]);
    expect(contextWindow("claude-sonnet-9")).toBe(200_000);
  });

  it("takes the user's table before its own, and keeps it apart", () => {
    expect(contextWindow("gpt-4o-mini", { "gpt-4o-mini": 64_000, "local/": 4_096 })).toBe(64_000);
    expect(contextWindow("local/llama", { "local/": 4_096 })).toBe(4_096);
    expect(contextWindow("gpt-4o", { "gpt-4o": 1 })).toBe(1);
    expect(contextWindow("gpt-4o")).toBe(128_000);
  });

  it("takes no name of an object property for a model", () => {
    for (const model of ["__proto__", "constructor", "toString", ""])
      expect(contextWindow(model)).toBe(DEFAULT_CONTEXT_WINDOW);
  });
});
