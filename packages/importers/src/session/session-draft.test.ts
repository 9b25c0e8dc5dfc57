import { isJsonValue, toWellFormedJson } from "@threadfold/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallLedger, isRepresentable } from "./session-draft.ts";

describe("CallLedger", () => {
  it("assigns a result to the newest call with its id, because ids are reused", () => {
    const calls = new CallLedger();
    calls.open("call_1", "read", "x");
    expect(calls.answer("call_1", undefined, "y")).toEqual({ callId: "call_1", toolName: "read" });
    calls.open("call_1", "write", "x");
    expect(calls.answer("call_1", "other", "y").toolName).toBe("write");
  });

  it("keeps the log's own name for a result that answers no call", () => {
    expect(new CallLedger().answer("call_9", "read", "y")).toEqual({ callId: "call_9", toolName: "read" });
    expect(new CallLedger().answer("call_9", undefined, "y").toolName).toBe("unknown");
  });

  it("pairs calls and results without ids in order, by tool if it is known", () => {
    const calls = new CallLedger();
    expect(calls.open(undefined, "read", "call-1")).toBe("call-1");
    expect(calls.open("", "write", "call-2")).toBe("call-2");
    expect(calls.answer(undefined, "write", "result-3").callId).toBe("call-2");
    expect(calls.answer(null, undefined, "result-4").callId).toBe("call-1");
    expect(calls.answer(null, undefined, "result-5").callId).toBe("result-5");
  });
});

const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

describe("isRepresentable", () => {
  it("accepts exactly the values that core accepts and its repair leaves unchanged", () => {
    const values = fc.anything({
      withBigInt: false,
      withDate: false,
      values: [fc.string({ unit: "binary" }), fc.double(), fc.boolean()],
    });
    fc.assert(
      fc.property(values, (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value, (_key, item) => item) ?? "null");
        if (isRepresentable(json)) expect(isJsonValue(json) && toWellFormedJson(json) === json).toBe(true);
        else expect(toWellFormedJson(json)).not.toBe(json);
      }),
      { numRuns: 100 },
    );
  });

  it("refuses lone surrogates in texts and keys, numbers out of range and deep nesting", () => {
    for (const text of ['"\\ud800"', '{"\\udc00":1}', "1e999", "[-1e999]"])
      expect(isRepresentable(JSON.parse(text))).toBe(false);
    expect(isRepresentable(deep(496))).toBe(true);
    expect(isRepresentable(deep(497))).toBe(false);
    expect(isRepresentable(deep(10_000))).toBe(false);
  });
});
