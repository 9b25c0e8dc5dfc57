import { describe, expect, it } from "vitest";
import { nearestName } from "./nearest-name.ts";

describe("nearestName", () => {
  it("finds what was meant by a slip, a missing letter or another case, and nothing for a word of its own", () => {
    const known = ["maxInputTokens", "targetPercent", "detectPins"];
    expect(nearestName("maxInputToken", known)).toBe("maxInputTokens");
    expect(nearestName("maxinputtokens", known)).toBe("maxInputTokens");
    expect(nearestName("detctPins", known)).toBe("detectPins");
    expect(nearestName("colour", known)).toBeUndefined();
    expect(nearestName("", known)).toBeUndefined();
  });
});
