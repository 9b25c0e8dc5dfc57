import { describe, expect, it } from "vitest";
import { samplePin } from "../laws/samples.ts";
import type { Authority, Pin } from "../thread/thread-entry.ts";
import { readRules } from "./read-rules.ts";
import { takenBack } from "./taken-back.ts";

/** What a text takes back, and what else of it is a rule. */
const readings = (text: string) =>
  readRules(text).map((reading) => (reading.kind === "retraction" ? [reading.speaksOf, reading.about] : reading.text));

describe("a text that takes something back", () => {
  it.each([
    ["Forget that.", [["last", "Forget that"]]],
    ["Please forget that", [["last", "Please forget that"]]],
    ["Forget the rule about tests.", [["rule", "Forget the rule about tests"]]],
    ["Never mind the rule about tests, but keep the other.", [["rule", "Never mind the rule about tests"]]],
    ["You may now edit package-lock.json.", [["permission", "You may now edit package-lock.json"]]],
    ["Vergiss das.", [["last", "Vergiss das"]]],
    ["Du darfst jetzt pushen.", [["permission", "Du darfst jetzt pushen"]]],
    ["Oublie ça.", [["last", "Oublie ça"]]],
    ["忘掉这个规则。", [["rule", "忘掉这个规则"]]],
    ["テストのルールは忘れて。", [["rule", "テストのルールは忘れて"]]],
    ["Could you please forget the rule about tests?", []],
    ["I forget the rule about tests.", []],
  ])("says so in a clause of its own, and how much it names: %s", (text, taken) => {
    expect(readings(text)).toEqual(taken);
  });

  it.each([
    ["Forget it, never push", "last", "Forget it"],
    ["Never push, forget that", "last", "forget that"],
    ["Scratch that, always push", "last", "Scratch that"],
    ["Ignore what I said about tests; never push.", "rule", "Ignore what I said about tests"],
    ["You may now push, but never force.", "permission", "You may now push"],
    ["Never push, and forget the rule about tabs.", "rule", "forget the rule about tabs"],
  ])("may be a rule besides, in another clause: %s", (text, speaksOf, about) => {
    expect(readings(text)).toEqual([[speaksOf, about], text]);
  });

  it("says nothing of what it quotes, and has its words as they stand there", () => {
    expect(readings('He wrote "forget the rule about tests" on the wall.')).toEqual([]);
    expect(readings("Ｆorget the rule about ｔests.")).toEqual([["rule", "Forget the rule about tests"]]);
  });
});

describe("the rule that is taken back", () => {
  const pin = (text: string, authority: Authority = "user"): Pin => samplePin(text, { text, authority });
  const push = pin("Never push to the main branch.");
  const lock = pin("Never touch package-lock.json.");
  const tests = pin("Always run the tests before a commit.");
  const all = [push, lock, tests];

  /** The texts of the rules that a text may take back; the one that it takes back for certain has `!`. */
  function taken(text: string, pins: readonly Pin[], { by = "user", last }: { by?: Authority; last?: Pin } = {}) {
    const [retraction] = readRules(text);
    if (retraction?.kind !== "retraction") throw new Error(`${text} takes nothing back.`);
    const found = takenBack(retraction, by, pins, last);
    if (found.type === "one") return `!${found.pin.text}`;
    return found.type === "none"
      ? "none"
      : [found.isNamed ? "named" : "unnamed", ...found.pins.map(({ text }) => text)];
  }

  it("is the one that its words name", () => {
    expect(taken("Forget the rule about package-lock.json.", all)).toBe(`!${lock.text}`);
    expect(taken("Forget the rule about the tests.", all)).toBe(`!${tests.text}`);
    expect(taken("Forget the rule about testing.", all)).toBe(`!${tests.text}`);
    expect(taken("Ignore what I said about pushing.", all)).toBe(`!${push.text}`);
    expect(taken("Forget the rule about PACKAGE-LOCK.JSON.", all)).toBe(`!${lock.text}`);
    // A name of a file is the whole name.
    expect(taken("Forget the rule about other-lock.json.", all)).toEqual(["named"]);
    expect(taken("Forget the rule about the moon.", all)).toEqual(["named"]);
    expect(taken("Forget the rule about the moon.", [])).toBe("none");
  });

  it("is unsure where several are named, or one is named in part", () => {
    const other = pin("Never push tags.");
    expect(taken("Forget the rule about pushing.", [...all, other])).toEqual(["named", push.text, other.text]);
    // Half of what is said must be in the rule.
    expect(taken("Forget the rule about pushing branches.", all)).toBe(`!${push.text}`);
    expect(taken("Forget the rule about pushing tags.", all)).toBe(`!${push.text}`);
    expect(taken("Forget the rule about pushing old tags.", all)).toEqual(["named", push.text]);
    const many = Array.from({ length: 10 }, (_, index) => pin(`Never push tag number${index}.`));
    expect(taken("Forget the rule about pushing.", many)).toEqual([
      "named",
      ...many.slice(0, 8).map(({ text }) => text),
    ]);
  });

  it("is what is allowed where a rule forbids all of that and little else", () => {
    expect(taken("You may now touch package-lock.json.", all)).toBe(`!${lock.text}`);
    expect(taken("You may now edit package-lock.json.", all)).toBe(`!${lock.text}`);
    expect(taken("You may now push to the main branch.", all)).toBe(`!${push.text}`);
    expect(taken("You may now push.", all)).toEqual(["named", push.text]);
    expect(taken("You may now edit package.json.", all)).toEqual(["named", lock.text]);
    expect(taken("You may now touch package-lock.json and yarn.lock.", all)).toEqual(["named", lock.text]);
    expect(taken("You may now sing.", all)).toBe("none");
    // What may be granted is granted and not taken back.
    const asked = pin("Never touch package-lock.json without asking.");
    expect(taken("You may now touch package-lock.json.", [asked])).toEqual(["named", asked.text]);
  });

  it("without a name is the last thing said, or the only rule that there is", () => {
    expect(taken("Forget that.", all, { last: push })).toBe(`!${push.text}`);
    expect(taken("Forget that.", all)).toBe("none");
    expect(taken("Forget that rule.", all, { last: push })).toBe(`!${push.text}`);
    expect(taken("Forget that rule.", [lock])).toBe(`!${lock.text}`);
    expect(taken("Forget that rule.", [])).toBe("none");
    expect(taken("Forget that rule.", all)).toEqual(["unnamed", ...all.map(({ text }) => text)]);
    const many = Array.from({ length: 9 }, (_, index) => pin(`Never push tag number${index}.`));
    expect(taken("Forget that rule.", many)).toEqual(["unnamed", ...many.slice(1).map(({ text }) => text)]);
  });

  it("is never one of a higher authority", () => {
    const high = pin("Never touch yarn.lock.", "system");
    expect(taken("Forget the rule about yarn.lock.", [high])).toEqual(["named", high.text]);
    expect(taken("Forget the rule about yarn.lock.", [high], { by: "system" })).toBe(`!${high.text}`);
    expect(taken("Forget that rule.", [high, lock])).toBe(`!${lock.text}`);
    expect(taken("Forget that rule.", [high])).toEqual(["unnamed"]);
    expect(taken("Forget that rule.", [high, lock], { by: "operator" })).toBe(`!${lock.text}`);
  });

  it("is found in scripts without spaces, by two signs at a time", () => {
    const chinese = pin("不要修改测试文件。");
    const other = pin("不要推送到主分支。");
    expect(taken("忘掉关于测试文件的规则。", [chinese, other])).toBe(`!${chinese.text}`);
    expect(taken("现在可以修改测试文件了。", [chinese, other])).toBe(`!${chinese.text}`);
  });
});
