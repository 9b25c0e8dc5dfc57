import { describe, expect, it } from "vitest";
import { finishSteps, type Steps } from "../time/steps.ts";
import { linesOf } from "./pasted-text.ts";
import { type Statement, statementsOf } from "./statements.ts";

/** A statement in short: what it says; a lead with what it says behind its list, which stands in the list itself. */
type Said = string | readonly Said[];

const statementsIn = (text: string): readonly Statement[] => finishSteps(statementsOf(text));
const said = (text: string, statements: readonly Statement[] = statementsIn(text)): readonly Said[] =>
  statements.map(({ start, leadEnd, items }) => {
    const lead = text.slice(start, leadEnd);
    return items.length === 0 ? lead : [lead, ...said(text, items)];
  });

describe("sentences", () => {
  it.each([
    ["One. Two! Three? Four… five", ["One.", "Two!", "Three?", "Four…", "five"]],
    ["Wow!!! (Yes.) So?! “No.” On", ["Wow!!!", "(Yes.)", "So?!", "“No.”", "On"]],
    ["Then a.b.c and 3.5 and 'go.'Then on.", ["Then a.b.c and 3.5 and 'go.'Then on."]],
    ["a; b. c", ["a; b.", "c"]],
    ["See p. 3 and z. B. that. Then vs. this.", ["See p. 3 and z. B. that.", "Then vs. this."]],
    ["Done etc. And on. So etc. and on", ["Done etc.", "And on.", "So etc. and on"]],
    ["One. Unless I say so. Two.", ["One. Unless I say so.", "Two."]],
    ["不要修改。可以吗？好；对！", ["不要修改。", "可以吗？", "好；", "对！"]],
    ["他说「不。」然后", ["他说「不。」", "然后"]],
  ])("end at a sign behind which a new one can begin: %s", (text, sentences) => {
    expect(said(text)).toEqual(sentences);
  });

  it.each([
    ["one\ntwo", ["one", "two"]],
    ["one,\ntwo", ["one,\ntwo"]],
    ["one (\ntwo", ["one (\ntwo"]],
    ["one e.g.\nTwo", ["one e.g.\nTwo"]],
    ["one\nand two", ["one\nand two"]],
    ["one.\nand two", ["one.", "and two"]],
    ["one.\nunless two", ["one.\nunless two"]],
    ["a line of 39 code units that is here no\nwrap", ["a line of 39 code units that is here no", "wrap"]],
    ["a line of 40 code units that is here now\nwrap", ["a line of 40 code units that is here now\nwrap"]],
    ["a line of 40 code units that is here now\nWrap", ["a line of 40 code units that is here now", "Wrap"]],
    ["one,\n\ntwo", ["one,", "two"]],
  ])("go on in the next line where the line was wrapped: %j", (text, sentences) => {
    expect(said(text)).toEqual(sentences);
  });
});

describe("lists", () => {
  it.each<readonly [string, readonly Said[]]>([
    ["1. a\n2) b\n(3) c\nd) d\n* [x] e\n• f\n- \n- g", ["a", "b", "c", "d", "e", "f", "g"]],
    ["z. B. keine Tests\n\nd. h. gar keine", ["z. B. keine Tests", "d. h. gar keine"]],
    ["a. b is one\nb. c.d is two", ["b is one", "c.d is two"]],
    ["- a\n  b\n- c", ["a\n  b", "c"]],
    ["- a\nb", ["a", "b"]],
    ["Do:\n- a\n- b\n\nc", [["Do:", "a", "b"], "c"]],
    ["Do:\n\n- a\n\n- b\n\nc", [["Do:", "a", "b"], "c"]],
    ["Do:\n- a\n  - b\n- c\nd\ne", [["Do:", "a", "b", "c"], "d\ne"]],
    ["Do:\n- a:\n  - b\n  - c\n- d\n", [["Do:", ["a:", "b", "c"], "d"]]],
    ["- a:\n  - b\n- c", [["a:", "b"], "c"]],
    ["- a:\n  text\n- b", [["a:", "text"], "b"]],
    ["Never do e.g.\n- a", [["Never do e.g.", "a"]]],
    ["One. Do:\n- a", ["One.", ["Do:", "a"]]],
    [
      "Do:\nthis\nAlso:\n- c\n",
      [
        ["Do:", "this"],
        ["Also:", "c"],
      ],
    ],
    ["Do:\nThis. That.\nSo\n\nOn", [["Do:", "This.", "That.", "So"], "On"]],
    ["Do:\n\nThis. That.", ["Do:", "This.", "That."]],
  ])("belong to the lead that announces them: %j", (text, statements) => {
    expect(said(text)).toEqual(statements);
  });

  it("reach to the end of their last item, and a lead to its own", () => {
    const text = "Some words.\n\nDo:\n- a\n- b\n\nc";
    const [, list, last] = statementsIn(text);
    expect(text.slice(list?.start, list?.end)).toBe("Do:\n- a\n- b");
    expect(text.slice(list?.start, list?.leadEnd)).toBe("Do:");
    expect([last?.start, last?.end, last?.leadEnd]).toEqual([text.length - 1, text.length, text.length]);
  });

  it.each([
    ["Do:\n- a", "list"],
    ["Do:\na", "prose"],
    ["Do:\n\n- a", "list"],
    ["Run:\n```\nx();\n```", "pasted"],
    ["Read:\n\n> a quote\n\nb", "pasted"],
    ["Do:", undefined],
    ["Do it.", undefined],
  ])("are announced as what they are: %j", (text, announces) => {
    const [lead] = statementsIn(text);
    expect([lead?.announces, lead?.isIncomplete]).toEqual([announces, text === "Do:"]);
  });

  it("that are announced and do not come leave a statement incomplete", () => {
    const incomplete = (text: string) => statementsIn(text).map(({ isIncomplete }) => isIncomplete);
    expect(incomplete("Do:")).toEqual([true]);
    expect(incomplete("One. Never do e.g.")).toEqual([false, true]);
    expect(incomplete("Never do e.g. this. On")).toEqual([false, false]);
    expect(incomplete("- a:\n- b:\n  - c")).toEqual([true, false]);
  });
});

describe("headings", () => {
  it.each<readonly [string, readonly Said[]]>([
    ["# Title\n\na", ["a"]],
    ["# Do it.\n\na", ["Do it.", "a"]],
    ["# Do it!\n\na", ["Do it!", "a"]],
    ["**Be kind**\n\na", ["Be kind", "a"]],
    ["__Be kind:__\n\na", ["Be kind:", "a"]],
    ["## Files\n- a\n- b\n\nc", [["Files", "a", "b"], "c"]],
    ["# Title\nWords:\n- a", [["Words:", "a"]]],
    ["#no heading\na", ["#no heading", "a"]],
  ])(
    "lead the list behind them, and say something by themselves only as a sentence or in bold: %j",
    (text, statements) => {
      expect(said(text)).toEqual(statements);
    },
  );

  const underRules = (text: string): readonly string[] => {
    const of = (statements: readonly Statement[]): readonly string[] =>
      statements.flatMap(({ start, leadEnd, underRules: is, items }) => [
        ...(is ? [text.slice(start, leadEnd)] : []),
        ...of(items),
      ]);
    return of(statementsIn(text));
  };

  it.each([
    ["# Rules\n- a\n- b", ["a", "b"]],
    ["Rules:\n- a\n\n- b", ["a", "b"]],
    ["**Rules:**\n- a", ["a"]],
    ["# Rules\nWords to begin with:\n- a", ["a"]],
    ["# Rules\n\nWords.\n- a\n\nWords.\n- b", ["a"]],
    ["# Rules\n- a\n\nWords.\n- b", ["a"]],
    ["# Rules\n- a\n# Other\n- b", ["a"]],
    ["# Files\n- a", []],
    ["- a", []],
  ])("make rules of the items under them, up to the next heading or words behind a list: %j", (text, items) => {
    expect(underRules(text)).toEqual(items);
  });
});

describe("passages", () => {
  it("are parted by blank lines and headings, and counted from zero", () => {
    const text = "one. two\nthree\n\n\nfour\n# H.\nfive\n\n- six\n\n> quote\n\nseven";
    expect(statementsIn(text).map(({ start, end, passage }) => [text.slice(start, end), passage])).toEqual([
      ["one.", 0],
      ["two", 0],
      ["three", 0],
      ["four", 1],
      ["H.", 1],
      ["five", 2],
      ["six", 3],
      ["seven", 5],
    ]);
  });
});

describe("a text of many lines", () => {
  const stepsOf = (work: Steps<unknown>): number => {
    let steps = 0;
    while (work.next().done !== true) steps++;
    return steps;
  };

  it("is read in steps of 64 lines, and a long paragraph in steps of 64 sentences", () => {
    const blank = "\n".repeat(6_399);
    expect(stepsOf(statementsOf(blank))).toBe(stepsOf(linesOf(blank)) + 100);
    const sentences = (count: number) => stepsOf(statementsOf("One. ".repeat(count)));
    expect(sentences(6_400) - sentences(1)).toBe(99);
  });

  it.each([
    ["(One.) Two", ["(One.)", "Two"]],
    ['"One etc." Two', ['"One etc."', "Two"]],
    ["As (e.g. this) and ((e.g. that", ["As (e.g. this) and ((e.g. that"]],
    ["One!!!!!!! Two", ["One!!!!!!!", "Two"]],
    ["So z. B. that", ["So z. B. that"]],
    ["That is p. ex. this. And on", ["That is p. ex. this.", "And on"]],
    ["a.b. that", ["a.b. that"]],
    ["One?)))) Two", ["One?))))", "Two"]],
    [" \t\n# Title.\nOne", ["Title.", "One"]],
    ["**One** two", ["**One** two"]],
    ["# Files\n\nWords", ["Words"]],
    ["- a\n\n  b", ["a", "b"]],
    ["one)\nTwo", ["one)", "Two"]],
    ["one:\nunless two", ["one:\nunless two"]],
  ])("has sentences that end where their signs do: %j", (text, sentences) => {
    expect(said(text)).toEqual(sentences);
  });
});
