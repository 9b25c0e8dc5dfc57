import { describe, expect, it } from "vitest";
import { parsePlanVersion, parseTokens } from "./options.ts";

describe("parseTokens", () => {
  it.each([
    ["100000", 100_000],
    ["100_000", 100_000],
    ["100,000", 100_000],
    ["100k", 100_000],
    ["2M", 2_000_000],
    ["1", 1],
  ])("reads %s", (text, tokens) => expect(parseTokens("--budget", text)).toBe(tokens));

  it.each(["", "0", "-1", "1.5", "1e5", "NaN", "Infinity", "k", "100kk", " 5", "0x10", "1000000001", "9".repeat(400)])(
    "refuses %j",
    (text) => {
      expect(() => parseTokens("--budget", text)).toThrow(
        expect.objectContaining({ code: "USAGE", message: expect.stringContaining("--budget") }),
      );
    },
  );
});

describe("parsePlanVersion", () => {
  it("reads whole numbers from 0", () =>
    expect([parsePlanVersion("planA", "0"), parsePlanVersion("planA", "12")]).toEqual([0, 12]));
  it.each(["", "-1", "1.0", "one", "9999999999"])("refuses %j", (text) => {
    expect(() => parsePlanVersion("planA", text)).toThrow(expect.objectContaining({ code: "USAGE" }));
  });
});
