import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { count, figure, percent, table, wrap } from "./page.ts";

describe("figures", () => {
  it("have commas between thousands, whatever the locale", () => {
    expect([0, 7, 999, 1_000, 1_234_567, -1_234].map(figure)).toEqual([
      "0",
      "7",
      "999",
      "1,000",
      "1,234,567",
      "-1,234",
    ]);
  });
  it("count in singular and plural", () => {
    expect([count(1, "entry", "entries"), count(2, "entry", "entries"), count(0, "turn")]).toEqual([
      "1 entry",
      "2 entries",
      "0 turns",
    ]);
  });
  it("give whole percent, and none of nothing", () => {
    expect([percent(1, 3), percent(0, 0), percent(5, 4)]).toEqual(["33 %", "0 %", "125 %"]);
    expect([percent(999, 1_000), percent(999, 1_000, Math.floor)]).toEqual(["100 %", "99 %"]);
  });
});

describe("table", () => {
  it("has as many rows as there are, however many", () => {
    const rows = Array.from({ length: 300_000 }, () => ["a", "b"]);
    expect(table(rows, ["left", "right"])).toHaveLength(rows.length);
  });

  it("aligns columns and does not pad the last one", () => {
    expect(
      table(
        [
          ["a", "1", "x"],
          ["long", "1,000", "y z"],
          ["b", "20", ""],
        ],
        ["left", "right", "left"],
      ),
    ).toEqual(["a         1  x", "long  1,000  y z", "b        20"]);
  });
});

describe("wrap", () => {
  it("keeps every word, in order, in lines that fit", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 40 }), (text, columns) => {
        const lines = wrap(text.join(" "), columns);
        expect(lines.join(" ").split(" ")).toEqual(text);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 200 },
    );
  });
  it("lets a word that is too wide stand alone", () =>
    expect(wrap("a aaaaaaaaaaaa b", 5)).toEqual(["a", "aaaaaaaaaaaa", "b"]));
});
