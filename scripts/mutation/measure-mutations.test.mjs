import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outcomesOf, scoreOf } from "./measure-mutations.mjs";
import { keyOf, mutantsOf, placeOf, sampleOf } from "./sample.mjs";

const mutant = (number, folder = "/house") => ({
  fileName: `${folder}/packages/core/src/a.ts`,
  location: { start: { line: number, column: 0 }, end: { line: number, column: 4 } },
  mutatorName: "BooleanLiteral",
  replacement: "false",
});

describe("a sample of changes", () => {
  const all = Array.from({ length: 400 }, (_, number) => mutant(number));

  it("is the same for a seed, wherever the house lies and however its changes are ordered", () => {
    const elsewhere = all.map((_, number) => mutant(number, "/other/packages/of/house")).toReversed();
    const keys = (mutants) => sampleOf(mutants, 40, 7).map(keyOf);
    expect(keys(all)).toHaveLength(40);
    expect(keys(elsewhere)).toEqual(keys(all));
    expect(sampleOf(all, 40, 8).map(keyOf)).not.toEqual(keys(all));
  });

  it("grows with its size, and is everything at most", () => {
    expect(sampleOf(all, 60, 7).slice(0, 40)).toEqual(sampleOf(all, 40, 7));
    expect(sampleOf(all, 1_000, 7)).toHaveLength(400);
  });

  it("is told to Stryker place by place, with lines that begin at one", () => {
    expect(placeOf(mutant(4), "/house/packages/core")).toBe("src/a.ts:5:0-5:4");
  });

  it("is drawn from the sources, and not from tests, laws or lists of names", async () => {
    const folder = mkdtempSync(join(tmpdir(), "threadfold-sample-"));
    try {
      for (const path of ["src", "src/laws", "src/plan"]) mkdirSync(join(folder, path));
      const source = "export const isMore = (a: number, b: number): boolean => a > b;\n";
      for (const path of ["index.ts", "laws/law.ts", "plan/more.ts", "plan/more.test.ts"])
        writeFileSync(join(folder, "src", path), source);
      const mutants = await mutantsOf(folder);
      expect(new Set(mutants.map(({ fileName }) => fileName))).toEqual(new Set([join(folder, "src/plan/more.ts")]));
      const changes = mutants.map(({ replacement }) => replacement);
      expect(changes).toEqual(expect.arrayContaining(["true", "false", "a >= b", "a <= b", "() => undefined"]));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the outcome of changes", () => {
  const source = "const a = true;\nif (a)\n  go();\n";
  const at = (line, column, endLine, endColumn) => ({
    start: { line, column },
    end: { line: endLine, column: endColumn },
  });
  const found = (status, location, replacement) => ({ status, location, mutatorName: "Any", replacement });
  const report = {
    files: {
      "src/a.ts": {
        source,
        mutants: [
          found("Killed", at(1, 11, 1, 15), "false"),
          found("Timeout", at(2, 5, 2, 6), "true"),
          found("Survived", at(1, 11, 1, 15), "false"),
          found("NoCoverage", at(2, 1, 3, 8), "{}"),
          found("Ignored", at(1, 11, 1, 15), "0"),
          found("Ignored", at(1, 11, 1, 15), "of no sample"),
          found("CompileError", at(1, 11, 1, 15), "1"),
          found("RuntimeError", at(1, 11, 1, 15), "2"),
        ],
      },
    },
  };

  it("names the place of each that nobody noticed, and what was changed", () => {
    expect(outcomesOf(report, "core", 6)).toEqual({
      noticed: 2,
      static: 1,
      errors: 1,
      survivors: [
        "packages/core/src/a.ts:1:11 Any: true → false",
        "packages/core/src/a.ts:2:1 Any: if (a) go(); → {} (no test of the package reaches it)",
      ],
    });
  });

  it("is scored by those that were tried, never rounded up, and is nothing where none was", () => {
    expect(scoreOf(outcomesOf(report, "core", 6))).toBe(50);
    expect(scoreOf({ noticed: 84_999, survivors: Array(15_001).fill("") })).toBe(84.99);
    expect(scoreOf({ noticed: 0, survivors: [] })).toBe(0);
  });
});
