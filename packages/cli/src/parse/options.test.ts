import { describe, expect, it } from "vitest";
import { parsePlanVersion, parseSource, parseTokens } from "./options.ts";

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

describe("--max-size", () => {
  const limitsOf = (maxSize?: string) => parseSource("f", { thread: "1", from: "auto", maxSize }).limits;

  it.each([
    ["400m", 400 * 1024 ** 2],
    ["1g", 1024 ** 3],
    ["64KB", 64 * 1024],
    ["1_000_000", 1_000_000],
  ])("%s is what a file and its lines may have", (text, size) =>
    expect(limitsOf(text)).toEqual({ maxBytes: size, maxLineLength: size }),
  );

  it("leaves the limits of imports where it is not given", () => expect(limitsOf()).toEqual({}));

  it.each(["", "0", "-1", "1.5m", "m", "1t", "9".repeat(17)])("refuses %j", (text) =>
    expect(() => limitsOf(text)).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining("--max-size") }),
    ),
  );
});
