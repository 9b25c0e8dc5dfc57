import { createHash } from "node:crypto";
import { finishSteps, type Part } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { characterClassTokenizer } from "./character-class-tokenizer.ts";
import { loadTokenizer } from "./load-tokenizer.ts";

const counter = characterClassTokenizer();
const exact = await loadTokenizer("tiktoken:o200k_base");
const hash = (seed: number, encoding: "hex" | "base64"): string =>
  createHash("sha512").update(`${seed}`).digest(encoding);
const lines = (make: (line: number) => string, separator = "\n"): string =>
  Array.from({ length: 60 }, (_, line) => make(line)).join(separator);

describe("counting by character classes", () => {
  it.each<[string, string]>([
    ["prose", lines(() => "The build failed because a test of the importer read a file that nobody had written.")],
    ["code", lines((at) => `export const next${at} = (value: number): number => Math.max(0, value - ${at}) * LIMIT;`)],
    [
      "logs",
      lines((at) => `2026-03-02T10:00:${10 + at}.123Z INFO [worker-7] id=${hash(at, "hex").slice(0, 32)} 200 in 31ms`),
    ],
    [
      "JSON",
      JSON.stringify(Array.from({ length: 60 }, (_, id) => ({ id, name: "alpha", price: id * 1.75, isNew: true }))),
    ],
    ["base64", lines((at) => hash(at, "base64"), "")],
    ["hex", lines((at) => hash(at, "hex").slice(0, 40))],
    ["Chinese", lines(() => "昨天的测试结果显示，系统在高负载下会出现内存泄漏的问题，需要尽快修复。", "")],
    ["Japanese", lines(() => "この関数は入力された文字列を解析して、結果を配列として返します。", "")],
    ["Korean", lines(() => "이 함수는 입력된 문자열을 분석하여 결과를 배열로 반환합니다. ", "")],
    ["Russian", lines(() => "Эта функция анализирует входную строку и возвращает результат. ", "")],
  ])("is close to o200k for %s", (_, text) => {
    const share = counter.countTokens(text) / exact.countTokens(text);
    expect(share).toBeGreaterThan(0.85);
    expect(share).toBeLessThan(1.2);
  });

  it("gives the same count in steps as all at once for a long text", () => {
    const part: Part = { type: "text", text: "Abc 123, ".repeat(40_000) };
    expect(finishSteps(counter.countPartInSteps?.(part) as never)).toBe(counter.countPart(part));
  });
});
