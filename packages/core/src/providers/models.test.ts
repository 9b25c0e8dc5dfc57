import { describe, expect, it } from "vitest";
import {
  checkModelRows,
  contextWindow,
  DEFAULT_CONTEXT_WINDOW,
  MODELS,
  type ModelRow,
  modelRow,
  modelRowSchema,
  suggestedCap,
} from "./models.ts";

const rowOf = (name: string, windowTokens: number): ModelRow => ({ name, windowTokens, asOf: "2026-11", source: "us" });

describe("the table of models", () => {
  it("has valid rows with unique names and caps within their windows", () => {
    expect(new Set(MODELS.map(({ name }) => name)).size).toBe(MODELS.length);
    for (const row of MODELS) {
      expect(modelRowSchema.parse(row)).toEqual(row);
      expect(suggestedCap(row)).toBeLessThanOrEqual(row.windowTokens);
      expect(suggestedCap(row)).toBeGreaterThan(0);
    }
  });

  it("recognizes a model behind any gateway prefix", () => {
    for (const name of ["claude-opus-5-5", "anthropic/claude-opus-5.5", "us.anthropic.claude-opus-5-5-20261001"])
      expect(modelRow(name)?.inputPrice).toBe(4);
    expect(modelRow("a-model-of-tomorrow")).toBeUndefined();
    // Another version is another model: the small window of the first GPT-4 is no guess for it.
    expect(modelRow("gpt-4-0613")?.windowTokens).toBe(8_192);
    for (const name of ["gpt-4.5-preview", "gpt-5.5", "gpt-42"]) expect(modelRow(name)).toBeUndefined();
  });

  it("suggests a cap that leaves room for the answer and stays below the long-prompt price", () => {
    expect(suggestedCap(rowOf("m", 8_000))).toBe(7_000);
    expect(suggestedCap({ ...rowOf("m", 200_000), maxOutputTokens: 4_000 })).toBe(196_000);
    expect(modelRow("gpt-5.6-terra")).toMatchObject({ windowTokens: 1_050_000, effectiveTokens: 272_000 });
  });

  it("caps every model with a long-prompt price at that length", () => {
    for (const row of MODELS)
      if (row.longPrompts !== undefined) expect(suggestedCap(row)).toBeLessThanOrEqual(row.longPrompts.aboveTokens);
  });

  it("S11: refuses an invalid row and names the field", () => {
    expect(() => checkModelRows([{ ...rowOf("m", 8_000), asOf: "today" }])).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: { name: "models.0.asOf" } }),
    );
    expect(() => checkModelRows([{ ...rowOf("m", 8_000), window: 1 } as never])).toThrow("models.0");
  });
});

describe("contextWindow", () => {
  it.each([
    ["gpt-4o", 128_000],
    ["gpt-4-turbo", 128_000],
    ["gpt-4", 8_192],
    ["claude-3-5-sonnet-20240620", 200_000],
    ["claude-3-haiku-20240307", 200_000],
    ["a-model-of-tomorrow", 128_000],
  ])("layer-8 seed 003: %s has %i", (model, tokens) => {
    expect(contextWindow(model)).toBe(tokens);
  });

  it("uses the row with the longest matching prefix", () => {
    expect([contextWindow("gpt-4-0613"), contextWindow("gpt-4o-2024-08-06"), contextWindow("gpt-4.1-mini")]).toEqual([
      8_192, 128_000, 1_047_576,
    ]);
    expect(contextWindow("claude-sonnet-9")).toBe(200_000);
  });

  it("prefers the user's rows without changing the built-in table", () => {
    const own = [rowOf("gpt-4o-mini", 64_000), rowOf("local/", 4_096), rowOf("gpt-4o", 1)];
    expect(contextWindow("gpt-4o-mini", own)).toBe(64_000);
    expect(contextWindow("local/llama", own)).toBe(4_096);
    expect(contextWindow("gpt-4o", own)).toBe(1);
    expect(contextWindow("gpt-4o")).toBe(128_000);
  });

  it("gives the default for names of object properties", () => {
    for (const model of ["__proto__", "constructor", "toString", ""])
      expect(contextWindow(model)).toBe(DEFAULT_CONTEXT_WINDOW);
  });
});
