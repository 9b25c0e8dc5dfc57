import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { millisecondAfter, nestsDeeperThan, utcTime } from "./foreign-value.ts";

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe("nestsDeeperThan", () => {
  it("agrees with the depth of the parsed value, whatever its strings hold", () => {
    const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", "a") });
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        text,
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(text, tie("node"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree.node, fc.nat(6), (value, limit) => {
        expect(nestsDeeperThan(JSON.stringify(value), limit)).toBe(depthOf(value) > limit);
      }),
      { numRuns: 300 },
    );
  });

  it("treats an unterminated string as running to the end of the text", () => {
    expect(nestsDeeperThan('["[[[[[[', 1)).toBe(false);
  });
});

describe("utcTime", () => {
  it("normalizes times given as text, seconds or milliseconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000_000_000, max: 4_000_000_000 }), (seconds) => {
        const text = new Date(seconds * 1000).toISOString();
        expect([text, text.replace("T", " ").replace("Z", ""), seconds, seconds * 1000].map(utcTime)).toEqual([
          text,
          text,
          text,
          text,
        ]);
      }),
      { numRuns: 200 },
    );
  });

  it("reads time zones and microseconds, and treats text without a zone as UTC on every machine", () => {
    expect(utcTime("2025-12-26T15:06:45.558645")).toBe("2025-12-26T15:06:45.558Z");
    expect(utcTime("2025-12-26T15:06:45+02:00")).toBe("2025-12-26T13:06:45.000Z");
    expect(utcTime("2025-12-26 15:06")).toBe("2025-12-26T15:06:00.000Z");
  });

  it.each([undefined, null, "", "yesterday", "2025-12-26", "2025-99-99T99:99:99.999Z", -1, Number.NaN, 1e300, {}])(
    "does not read %j as a time",
    (value) => {
      expect(utcTime(value)).toBeUndefined();
    },
  );

  it("can be advanced by a millisecond", () => {
    expect(millisecondAfter("2025-12-31T23:59:59.999Z")).toBe("2026-01-01T00:00:00.000Z");
  });
});
