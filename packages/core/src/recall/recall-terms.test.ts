import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { growthOnQuadrupling } from "../laws/runs.ts";
import { hostileTexts } from "../laws/text-arbitrary.ts";
import { recallTerms, unspacedWords } from "./recall-terms.ts";

describe("words for recall", () => {
  it.each<[string, readonly string[]]>([
    [
      "src/http/retryPolicy.ts",
      ["src/http/retrypolicy.ts", "src", "http", "retrypolicy.ts", "retrypolicy", "retry", "policy", "ts"],
    ],
    ["VLLM_LOGGING_LEVEL", ["vllm_logging_level", "vllm", "logging", "level"]],
    ["parseHTTPResponse2", ["parsehttpresponse2", "parse", "http", "response", "2"]],
    ["TS2345", ["ts2345", "ts", "2345"]],
    ["資料庫", ["資", "料", "資料", "庫", "料庫"]],
    ["a I x", []],
    ["!? … —", []],
  ])("%j", (text, terms) => expect(recallTerms(text)).toEqual(terms));

  it("finds a hash by its first seven characters", () => {
    expect(recallTerms("6032533cbb0b6d3a9bbce82a1af4b20f679eafd0")).toContain("6032533");
    expect(recallTerms("6032533")).toContain("6032533");
  });

  it("keeps repetitions, folds case and width, and has no quotes or spaces", () => {
    expect(recallTerms("Retry RETRY retry")).toEqual(["retry", "retry", "retry"]);
    expect(recallTerms("ＲＥＴＲＹ")).toEqual(["retry"]);
    fc.assert(
      fc.property(fc.oneof(hostileTexts, fc.string({ unit: "grapheme" })), (text) => {
        for (const term of recallTerms(text)) expect(term).not.toMatch(/["\s\0]/u);
      }),
      { numRuns: 100 },
    );
  });

  it.each(["a", "/a", "庫", "/", "aB_", "-", "\u0301\u0323", "\uFDFA", "\u{1E8D0}\u0301"])(
    "R29 takes linear time on text that is %j again and again",
    async (unit) => {
      const textOf = (size: number): string => unit.repeat(size / unit.length);
      expect(await growthOnQuadrupling(textOf, recallTerms, 64_000)).toBeLessThan(10);
    },
  );

  it("limits the terms from ligatures and from marks piled on one letter", () => {
    expect(recallTerms("\uFDFA".repeat(10_000)).length).toBeLessThan(100);
    expect(recallTerms(`e${"\u0301\u0323".repeat(10_000)} word`).at(-1)).toBe("word");
    expect(recallTerms("\uFDFA")).toEqual(recallTerms("صلى الله عليه وسلم"));
  });
});

describe("words of text without spaces", () => {
  it("gives the dictionary words of at least three characters", () => {
    expect(unspacedWords("請先更新資料庫的連線設定 and データベースを更新する")).toEqual(["資料庫", "データベース"]);
    expect(unspacedWords("only English, 資料")).toEqual([]);
  });

  it("splits each run by itself, however many runs a text has", () => {
    const runs = fc.constantFrom(
      "절대로",
      "메인에",
      "請先更新資料庫",
      "データベース",
      "ห้ามแก้ไขฐานข้อมูล",
      "資",
      "ー",
      "word",
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(runs, fc.constantFrom(" ", "。", "\n", " x ", "")), { maxLength: 600, size: "max" }),
        (said) => {
          const text = said.map(([run, end]) => run + end).join("");
          const alone = text.split(/[\s。]| x |word/).flatMap((run) => unspacedWords(run));
          expect(unspacedWords(text)).toEqual([...new Set(alone)]);
        },
      ),
    );
  });

  it.each(["庫", "データ", "ก", "한국"])("R29 are found in linear time in %j again and again", async (unit) => {
    const textOf = (size: number): string => unit.repeat(size / unit.length);
    expect(await growthOnQuadrupling(textOf, unspacedWords, 32_000)).toBeLessThan(10);
  });
});
