import { describe, expect, it } from "vitest";
import { finishSteps, type Steps } from "../time/steps.ts";
import { linesOf, quotesIn, SpokenText } from "./pasted-text.ts";

/** What somebody phrased in a text, line by line. */
const phrased = (text: string, trusted = false): readonly string[] =>
  finishSteps(linesOf(text, trusted)).flatMap((line) => (line.isProse && line.text.trim() !== "" ? [line.text] : []));

function stepsOf(work: Steps<unknown>): number {
  let steps = 0;
  while (work.next().done !== true) steps++;
  return steps;
}

describe("the lines of a text", () => {
  it.each(["\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"])(
    "end with %j, which is in none of them",
    (end) => {
      const text = `one${end}${end}two`;
      const lines = finishSteps(linesOf(text));
      expect(lines.map((line) => line.text)).toEqual(["one", "", "two"]);
      for (const { start, end: last, text: said } of lines) expect(text.slice(start, last)).toBe(said);
    },
  );

  it.each([
    ["a statement that opens a block", "the map is x = {", false],
    ["a call with its semicolon", "and then run(it);", false],
    ["a word in braces in a sentence", "Use {name} for it.", true],
    ["a remark in brackets at the end", "Keep it (see above)", true],
    ["a sentence that ends like a statement", "Keep it;", true],
    ["a sign of code within what is looked at", `${"a ".repeat(199)}= then {`, false],
    ["a sign of code behind what is looked at", `${"a ".repeat(200)}= then {`, true],
  ])("are phrased or not: %s", (_, line, isProse) => {
    expect(phrased(line)).toEqual(isProse ? [line] : []);
  });

  it("belong to a program where most lines of their paragraph do", () => {
    expect(phrased("A note on it.\nrun(it);")).toEqual(["A note on it."]);
    expect(phrased("run(it);\nA note on it.\nstop(it);")).toEqual([]);
    expect(phrased("Before.\n \t\nrun(it);\nA note on it.\nstop(it);\n\t\nBehind.\nAnd on.\nrun(it);")).toEqual([
      "Before.",
      "Behind.",
      "And on.",
    ]);
    // What stands in a fence is no line of the paragraph before it.
    expect(phrased("Look at this:\n```\nrun(it);\nstop(it);\n```\nGo on.\nrun(it);")).toEqual([
      "Look at this:",
      "Go on.",
    ]);
  });
});

describe("a code block", () => {
  it.each([
    ["```\nx\n```\ny", ["y"]],
    ["```ts\nx\n```  \ny", ["y"]],
    ["  ~~~\nx\n~~~~\ny", ["y"]],
    ["````\n```\nx\n````\ny", ["y"]],
    ["```\n~~~\nx\n```\ny", ["y"]],
    ["```\n```ts\nx\n```\ny", ["y"]],
    ["```\nx\n\ny", ["x", "y"]],
    ["````\nx\n```\ny", ["x", "y"]],
    ["```\nx\n``` and on\ny", ["x", "y"]],
    ["```\nx\n```\ny\n```\nz\n```\nend", ["y", "end"]],
  ])("goes to the fence that closes it, and one that nothing closes is none: %j", (text, said) => {
    expect(phrased(text)).toEqual(said);
  });
});

describe("a document in tags", () => {
  it.each([
    ["<doc>\nx\n</doc>\ny", ["y"]],
    ["  <doc id='1'>x</doc> y", [" y"]],
    ["<doc>\nx\n</doc> y\nz", [" y", "z"]],
    ["<doc>\n<doc>\nx\n</doc>\nx\n</doc>\ny", ["y"]],
    ["<doc>\n<part>\nx\n</part>\nx\n</doc>\ny", ["y"]],
    ["<doc>\nx\n</doc>\ny\n<doc>\nx\n</doc>\nz", ["y", "z"]],
    ["<doc>\n```\nx\n</doc>\ny", ["y"]],
    ["<doc />\ny\n<doc>\nx\n</doc>\nz", ["<doc />", "y", "z"]],
    ["<doc id='1' /> y\n</doc>", ["<doc id='1' /> y"]],
    ["<doc path='a/b'>\nx\n</doc>\ny", ["y"]],
    ["<doc>\nx\n\ny", ["x", "y"]],
    ["Look at <doc> here.\ny\n</doc>", ["Look at <doc> here.", "y"]],
    ["<rules>\nx\n</rules>\ny", ["x", "y"]],
  ])("is nobody's words, and what stands behind its end is: %j", (text, said) => {
    expect(phrased(text).filter((line) => !/^<\/?(?:doc|rules)>$/.test(line))).toEqual(said);
  });

  it("instructs in a text that is trusted, but for an example", () => {
    const text = (tag: string) => `<${tag}>\nx\n</${tag}>\ny`;
    expect(phrased(text("doc"), true)).toContain("x");
    expect(phrased(text("doc"))).not.toContain("x");
    for (const trusted of [true, false]) expect(phrased(text("example"), trusted)).toEqual(["y"]);
  });
});

describe("a comment over several lines", () => {
  it.each([
    ["<!-- x\nx\n--> y\nz", [" y", "z"]],
    ["/* x\nx\n*/\ny\n/* x\nx */\nz", ["y", "z"]],
    ["<!-- x -->\ny\n<!--\nx\n-->\nz", ["y", "z"]],
    ["  <!--\nx\n-->\n/*\nx\n*/\ny", ["y"]],
    ["y\n<!-- x\nz", ["y", "z"]],
    ["/* x\ny\n-->", ["y"]],
  ])("goes to its own end: %j", (text, said) => {
    expect(phrased(text).filter((line) => line !== "-->")).toEqual(said);
  });
});

describe("what is quoted", () => {
  const quoted = (text: string): readonly string[] =>
    finishSteps(quotesIn(text)).map(([start, end]) => text.slice(start, end));

  it.each([
    ['He said "no" and "never".', ['"no"', '"never"']],
    ["He said “no” and «never» and 「いつも」.", ["“no”", "«never»", "「いつも」"]],
    ["Er sagte „nein“ und »nie«.", ["„nein“", "»nie«"]],
    ["Run `it` and ‘that’.", ["`it`", "‘that’"]],
    ['A 5" disk and a 3" one.', []],
    ['It is "" and nothing.', []],
    ['He said " no" there.', []],
    ['He said "no\nand "never" then.', ['"no\nand "never"']],
    ['He said "no\n\nand "never" then.', ['"never"']],
    ['He said "no\n \t\nand "never" then.', ['"never"']],
    ["Run `it\nand `that` then.", ["`that`"]],
    ["He said “it's no” then.", ["“it's no”"]],
    ["say “a„b”c” then", ["“a„b”"]],
  ])("stands between two signs of a pair, in one passage: %j", (text, found) => {
    expect(quoted(text)).toEqual(found);
  });

  it("is as long as its signs let it be", () => {
    for (const [open, close, longest] of [
      ['"', '"', 1_600],
      ["“", "”", 1_600],
      ["`", "`", 200],
      ["‘", "’", 200],
    ] as const) {
      const of = (length: number) => `He said ${open}${"x".repeat(length - 1)}${close} then.`;
      expect(quoted(of(longest))).toHaveLength(1);
      expect(quoted(of(longest + 1))).toEqual([]);
    }
  });

  it("is nothing where the whole text is in quotes, as a harness writes a prompt", () => {
    expect(quoted('"Never push."')).toEqual([]);
    expect(quoted('  "Never push."\n')).toEqual([]);
    expect(quoted('  "Never" "push."\n')).toEqual(['"Never"', '"push."']);
    expect(quoted('"Never push." Go.')).toEqual(['"Never push."']);
    expect(quoted('Go: "Never push."')).toEqual(['"Never push."']);
  });

  it("cannot be read in what a statement says, which keeps its length", () => {
    const text = 'Say "no" to *it* and "ne*ver" to that.';
    const spoken = new SpokenText(text, finishSteps(quotesIn(text)));
    expect(spoken.between(0, 8)).toEqual({ plain: 'Say "no"', masked: "say xxxx" });
    expect(spoken.between(9, 21)).toEqual({ plain: "to *it* and ", masked: "to  it  and " });
    expect(spoken.between(9, 25)).toEqual({ plain: 'to *it* and "ne*', masked: "to  it  and xxxx" });
    expect(spoken.between(25, text.length)).toEqual({ plain: 'ver" to that.', masked: "xxxx to that." });
  });
});

describe("a long text", () => {
  it("is read in steps of lines, of signs and of tags, so that others come to their turn", () => {
    // Lines are found, looked at for fences, read and put together: every time at least a step for each 64 of them.
    expect(stepsOf(linesOf("a line\n\n".repeat(3_200)))).toBeGreaterThanOrEqual((4 * 6_400) / 64);
    const words = stepsOf(quotesIn("word ".repeat(51_200)));
    expect(stepsOf(quotesIn('"word" '.repeat(25_600))) - words).toBeGreaterThanOrEqual(51_200 / 512);
    expect(stepsOf(linesOf("x <a> </a> ".repeat(25_600)))).toBeGreaterThanOrEqual(51_200 / 512);
  });
});
