import { PRESETS } from "threadfold";
import { describe, expect, it } from "vitest";
import { BUDGETS } from "./matrix.ts";
import { dataFolder, recordedFiles } from "./recorded-files.ts";
import { runWireCells, sampledWireCells, sdkRefusals, WIRE_FORMATS, WIRE_MODELS, wireCells } from "./wire-cells.ts";

const folder = dataFolder();
const files = folder === null ? [] : recordedFiles(folder);
const isFull = process.env["THREADFOLD_ALL_SESSIONS"] !== undefined;
const cells = isFull ? wireCells(files) : sampledWireCells(files);

describe.skipIf(folder === null)(
  "recorded sessions × providers × models × budgets × presets (skipped without THREADFOLD_DATA)",
  () => {
    it("are sampled so that each session meets a third of the formats, each preset each format, each preset each budget, and each model is there", () => {
      const pairs = (list: readonly (readonly [unknown, unknown])[]): number =>
        new Set(list.map((pair) => pair.join(" "))).size;
      const sample = sampledWireCells(files);
      expect(pairs(sample.map(({ file, format }) => [file.name, format]))).toBe(
        (files.length * WIRE_FORMATS.length) / 3,
      );
      expect(pairs(sample.map(({ preset, format }) => [preset, format]))).toBe(PRESETS.length * WIRE_FORMATS.length);
      expect(pairs(sample.map(({ preset, budget }) => [preset, budget]))).toBe(PRESETS.length * BUDGETS.length);
      const models = sample.flatMap(({ format, model }) => (model === undefined ? [] : [[format, model] as const]));
      expect(pairs(models)).toBe(Object.values(WIRE_MODELS).flat().length);
    });

    it.each(WIRE_FORMATS)(
      "%s takes every request: no rule, wire schema or SDK refuses it, it fits and holds every pin",
      { timeout: isFull ? 7_200_000 : 900_000 },
      async (format) => {
        const refused: string[] = [];
        let folded = 0;
        for await (const result of runWireCells(cells.filter((cell) => cell.format === format))) {
          folded += result.folded;
          for (const problem of result.problems)
            refused.push(
              `${result.name}, ${result.preset} at ${result.budget} for ${result.model ?? "any model"}: ${problem}`,
            );
        }
        expect(refused).toEqual([]);
        expect(folded).toBeGreaterThan(files.length);
      },
    );
  },
);

describe("sdkRefusals", () => {
  it("tells which message the AI SDK refuses", () => {
    const messages = [
      { role: "user", content: "go" },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "read", output: "no object" }] },
    ];
    expect(sdkRefusals("ai-sdk", { messages })).toEqual([expect.stringContaining("refuses message 1")]);
    expect(sdkRefusals("ai-sdk", { messages: messages.slice(0, 1) })).toEqual([]);
  });
});
