import { asToolCallId, type JsonValue, LARGE_INPUT_STRING } from "@threadfold/core";
import { cpuTimeMs, jsonValues, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputNames, largeCharacters } from "./telling-names.ts";

const callWith = (input: JsonValue, invalidInput?: string) => ({
  type: "tool-call" as const,
  callId: asToolCallId("a"),
  toolName: "write",
  input,
  ...(invalidInput !== undefined && { invalidInput }),
});
const PROSE = "and so on and on, as it is with words that name nothing at all. ".repeat(4);

describe("inputNames", () => {
  it("finds paths first, then definitions, then recurring identifiers", () => {
    const content = `${PROSE}
const cachedAnswer = other_value(1);
cachedAnswer2 + other_value + other_value;
import { x } from "../model/message-header.ts";
export function buildPlan() {}
see /etc/hosts and docs/decisions/README.md`;
    expect(inputNames(callWith({ path: "short/path.ts", content }))).toEqual([
      "../model/message-header.ts",
      "/etc/hosts",
      "docs/decisions/README.md",
      "cachedAnswer",
      "buildPlan",
      "other_value",
      "cachedAnswer2",
    ]);
  });

  it("finds nothing in plain prose or in small strings, which stay in the call anyway", () => {
    expect(inputNames(callWith({ path: "src/index.ts", content: PROSE }))).toEqual([]);
  });

  it("reads invalid JSON input, lists, nested objects and plain strings", () => {
    const text = `${PROSE} src/deep/file.ts`;
    for (const call of [callWith("{", text), callWith([text]), callWith({ edits: [{ new: text }] }), callWith(text)]) {
      expect(inputNames(call)).toEqual(["src/deep/file.ts"]);
    }
  });

  it("gives at most 16 distinct short names that occur literally in any input", () => {
    fc.assert(
      fc.property(jsonValues, fc.array(fc.string({ maxLength: 40 }), { maxLength: 60 }), (value, words) => {
        const text = `${PROSE}${words.join("_x ")}`;
        const names = inputNames(callWith({ value, text }));
        expect(names.length).toBeLessThanOrEqual(16);
        expect(names.join("").length).toBeLessThanOrEqual(320);
        expect(new Set(names).size).toBe(names.length);
        const all = JSON.stringify([value, text]);
        for (const name of names)
          expect(text.includes(name) || all.includes(JSON.stringify(name).slice(1, -1))).toBe(true);
      }),
      runs(200),
    );
  });

  it("reads a megabyte in less than a second of CPU time", () => {
    const start = cpuTimeMs();
    expect(inputNames(callWith({ content: "a/b_c.d-".repeat(125_000) })).length).toBeLessThanOrEqual(16);
    expect(cpuTimeMs() - start).toBeLessThan(1_000);
  });
});

describe("largeCharacters", () => {
  it("counts only the strings that are large enough to be cut", () => {
    const large = "x".repeat(LARGE_INPUT_STRING);
    expect(largeCharacters(callWith({ a: large, b: large.slice(1), c: [large, 7, null] }))).toBe(2 * large.length);
    expect(largeCharacters(callWith("{", large))).toBe(large.length);
  });
});
