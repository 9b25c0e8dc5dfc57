import { describe, expect, it } from "vitest";
import { pairedLines, shownRuns } from "./prompt-pair.ts";

const lines = (count: number, of = "same"): string =>
  Array.from({ length: count }, (_, at) => `${of} ${at}\n`).join("");

describe("two prompts beside each other", () => {
  it("have every line of both, in order, with each removed line next to its replacement", () => {
    const [before, after] = [`${lines(20)}old\nolder\n${lines(3, "end")}`, `${lines(20)}new\n${lines(3, "end")}more\n`];
    const rows = pairedLines({ name: "prompt.md", before, after });
    const textOf = (side: "before" | "after") => rows.flatMap((row) => row[side]?.text ?? []);
    expect(`${textOf("before").join("\n")}\n`).toBe(before);
    expect(`${textOf("after").join("\n")}\n`).toBe(after);
    expect(rows[20]).toEqual({ kind: "changed", before: { line: 21, text: "old" }, after: { line: 21, text: "new" } });
    expect(rows[21]).toEqual({ kind: "changed", before: { line: 22, text: "older" }, after: null });
  });

  it("leave out equal lines far from any change", () => {
    const rows = pairedLines({
      name: "a",
      before: `${lines(40)}x\n${lines(40)}`,
      after: `${lines(40)}y\n${lines(40)}`,
    });
    expect(shownRuns(rows)).toEqual([
      { first: 0, end: 34, isShown: false },
      { first: 34, end: 47, isShown: true },
      { first: 47, end: 81, isShown: false },
    ]);
  });

  it("show the whole of one when the other is missing", () => {
    const rows = pairedLines({ name: "a", before: null, after: "one\ntwo\n" });
    expect(rows.filter(({ after }) => after !== null).map(({ after }) => after?.text)).toEqual(["one", "two"]);
  });
});
