import { describe, expect, it } from "vitest";
import { call, text } from "../laws/messages.ts";
import { growthOnQuadrupling } from "../laws/runs.ts";
import type { Part } from "../model/part.ts";
import { needCandidates } from "./need-candidates.ts";

describe("needCandidates", () => {
  const candidatesOf = (text: string) => needCandidates([{ parts: [call("c", "bash", { text })] }]);

  it("reads paths, identifiers, long numbers and quoted names, and no plain words", () => {
    expect(candidatesOf("sed -n 1,200p /repo/src/io.ts")).toEqual(["/repo/src/io.ts"]);
    expect(candidatesOf("call readLine then vllm.core.block")).toEqual(["readLine", "vllm.core.block"]);
    expect(candidatesOf("kill 4711234 please")).toEqual(["4711234"]);
    expect(candidatesOf("please return the configuration")).toEqual([]);
    expect(candidatesOf(`throw "session is nil" or 'no such file', don't it's`)).toEqual([
      "session is nil",
      "no such file",
    ]);
    expect(candidatesOf('"a b" and " padded words "')).toEqual([]);
    expect(candidatesOf("Look at ./src/io. Then at src/a.ts.")).toEqual(["./src/io", "src/a.ts"]);
    expect(candidatesOf("up to 1,000,000.5 or 12345")).toEqual(["1,000,000.5"]);
    expect(candidatesOf('run "a-b_c1"')).toEqual(["a-b_c1"]);
  });

  it.each(["x", "/", "x//", "~", "a.", "1,", "a:", "'", "'a ", "_", "-", "aB"])(
    "R29 takes linear time on an argument that repeats %j",
    async (unit) => {
      const textOf = (size: number): string => unit.repeat(size / unit.length);
      expect(await growthOnQuadrupling(textOf, candidatesOf, 32_000)).toBeLessThan(10);
    },
  );

  it("R29 takes linear time on a path with a long run of dots", async () => {
    const textOf = (size: number): string => `a/${".".repeat(size)}x`;
    expect(await growthOnQuadrupling(textOf, candidatesOf, 16_000)).toBeLessThan(10);
  });

  it("accepts names of six to two hundred code units", () => {
    for (const [length, isTaken] of [
      [5, false],
      [6, true],
      [200, true],
      [201, false],
    ] as const) {
      const name = `x_${"y".repeat(length - 2)}`;
      expect(candidatesOf(name)).toEqual(isTaken ? [name] : []);
    }
  });

  it("reads each text and number in call arguments once, but no keys or message text", () => {
    const input = { some_long_key: [{ deep: "first_name" }, 1234567, null, true], again: "first_name" };
    const answers = [
      { parts: [text("in_the_text"), call("a", "bash", input)] },
      { parts: [call("b", "bash", { more: "other_name" }), call("c", "bash", "first_name")] },
    ];
    expect(needCandidates(answers)).toEqual(["first_name", "1234567", "other_name"]);
    expect(needCandidates([])).toEqual([]);
  });

  it("reads invalid JSON arguments as raw text", () => {
    const broken = { ...call("c", "bash", { text: "other_name" }), invalidInput: '{"path": "/repo/src/io.ts' };
    expect(needCandidates([{ parts: [broken as Part] }])).toEqual(["/repo/src/io.ts"]);
  });
});
