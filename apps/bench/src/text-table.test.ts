import { describe, expect, it } from "vitest";
import { markdownTable, textTable } from "./text-table.ts";

const ROWS = [
  ["policy", "bill"],
  ["a|b", "0.61"],
  ["floor", "10"],
];

describe("tables", () => {
  it("stand under each other, names left and figures right", () => {
    expect(textTable(ROWS)).toBe("policy  bill\na|b     0.61\nfloor     10");
  });

  it("are Markdown in which a bar of the text ends no cell", () => {
    expect(markdownTable(ROWS)).toBe("| policy | bill |\n| --- | ---: |\n| a\\|b | 0.61 |\n| floor | 10 |");
  });
});
