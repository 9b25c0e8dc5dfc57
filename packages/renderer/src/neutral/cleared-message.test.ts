import { asMessageId, asToolCallId, type ClearRecord, isJsonValue, type JsonValue } from "@threadfold/core";
import { jsonValues } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clearedCall, clearMarker } from "./cleared-message.ts";

const callWith = (input: JsonValue) =>
  ({ type: "tool-call", callId: asToolCallId("a"), toolName: "write", input }) as const;
const marker = (text: string): string => `[${text.length}]`;

describe("clearedCall", () => {
  it("keeps id and name, and returns a JSON object without large strings for any input", () => {
    fc.assert(
      fc.property(jsonValues, fc.nat(3), (value, size) => {
        const input = { value, large: "x".repeat(200 * size), list: Array.from({ length: 30 * size }, () => value) };
        const { callId, toolName, input: cleared } = clearedCall(callWith(input), marker);
        expect([callId, toolName]).toEqual(["a", "write"]);
        expect(isJsonValue(cleared)).toBe(true);
        expect(JSON.stringify(cleared)).not.toMatch(/x{200}/);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["a text", "x".repeat(300), { _raw: "[300]" }],
    ["a list", [1, "y"], { _raw: [1, "y"] }],
    ["small fields", { path: "a.ts", line: 3 }, { path: "a.ts", line: 3 }],
    [
      "a long list",
      { ids: Array.from({ length: 22 }, (_, id) => id) },
      { ids: [...Array.from({ length: 20 }, (_, id) => id), "[cleared: 2 items]"] },
    ],
  ])("%s", (_name, input, expected) => {
    expect(clearedCall(callWith(input), marker).input).toEqual(expected);
  });

  it("replaces arguments that are not JSON with a marker of their size", () => {
    const part = { ...callWith("{"), invalidInput: `{"a": "${"x".repeat(300)}` };
    expect(clearedCall(part, marker)).toEqual(callWith({ _raw: "[307]" }));
  });

  it("S37: keeps the start of a large argument and the names preserved for this call, each once", () => {
    const record: ClearRecord = {
      action: "clear",
      span: { messageIds: [asMessageId("m")], firstTurn: 1, lastTurn: 1 },
      strategy: "clear",
      reason: "old",
      sincePlanVersion: 1,
      originalTokens: 1,
      targets: ["tool-input"],
      preservedFields: { names: { a: ["src/a.ts", "buildPlan", "begins"], other: ["elsewhere"] } },
      keep: { headCharacters: 6, tailCharacters: 0 },
    };
    const filler = "x ".repeat(120);
    const call = callWith({
      path: "src/b.ts",
      old: `begins ${filler} src/a.ts`,
      new: `begins ${filler} src/a.ts elsewhere buildPlan`,
    });
    expect(clearedCall(call, clearMarker(record, call)).input).toEqual({
      path: "src/b.ts",
      old: "begins\n[… 250 characters left out …]\n[names in it: src/a.ts]",
      new: "begins\n[… 270 characters left out …]\n[names in it: buildPlan]",
    });
  });
});
