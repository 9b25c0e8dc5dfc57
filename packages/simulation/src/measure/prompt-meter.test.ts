import { describe, expect, it } from "vitest";
import { PatternScanner } from "../needs/pattern-scanner.ts";
import type { PromptPiece } from "../policy/prompt-policy.ts";
import { PieceIndex, PromptMeter } from "./prompt-meter.ts";

const piece = (text: string, role: PromptPiece["role"] = "user"): PromptPiece => ({ role, text });

function meterFor(patterns: readonly string[]) {
  return new PromptMeter(new PieceIndex(new PatternScanner(patterns)), patterns.length);
}

describe("PromptMeter", () => {
  it("measures the prefix that a prompt shares with the previous one", () => {
    const meter = meterFor([]);
    meter.take([piece("12345678"), piece("1234")]);
    expect(meter.take([piece("12345678"), piece("1234"), piece("abcd")])).toMatchObject({
      tokens: 4,
      sharedTokens: 3,
      breaks: false,
    });
    expect(meter.take([piece("12345678"), piece("abcd")])).toMatchObject({ tokens: 3, sharedTokens: 2, breaks: true });
    expect(meter.take([piece("12345678", "assistant"), piece("abcd")])).toMatchObject({ shared: 0, breaks: true });
  });

  it("counts a shorter prompt as a break, and an equal one as none", () => {
    const meter = meterFor([]);
    meter.take([piece("12345678"), piece("1234")]);
    expect(meter.take([piece("12345678")]).breaks).toBe(true);
    expect(meter.take([piece("12345678")]).breaks).toBe(false);
  });

  it("finds the patterns of the newest prompt only, whatever earlier prompts held", () => {
    const meter = meterFor(["src/io.ts"]);
    meter.take([piece("see src/io.ts"), piece("again src/io.ts")]);
    expect(meter.has(0)).toBe(true);
    meter.take([piece("see src/io.ts"), piece("nothing")]);
    expect(meter.has(0)).toBe(true);
    meter.take([piece("nothing")]);
    expect(meter.has(0)).toBe(false);
    meter.take([piece("nothing"), piece("src/io.ts")]);
    expect(meter.has(0)).toBe(true);
  });

  it("compares pieces by their key if they have one", () => {
    const meter = meterFor([]);
    meter.take([{ ...piece("same"), key: "one" }]);
    expect(meter.take([{ ...piece("same"), key: "two" }]).breaks).toBe(true);
  });
});
