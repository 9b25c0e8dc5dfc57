import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes, count, dayAndTime, duration, money, percent, short, timeOfDay, whole } from "./figures.ts";

describe("figures", () => {
  it("are the same on every machine", () => {
    expect([0, 999, 1_234, 1_234_567, -4_200].map(whole)).toEqual(["0", "999", "1,234", "1,234,567", "−4,200"]);
    expect([0, 987, 999.6, 1_234, 9_949, 12_345, 999_499, 999_600, 1_234_567].map(short)).toEqual([
      "0",
      "987",
      "1.0k",
      "1.2k",
      "9.9k",
      "12k",
      "999k",
      "1.0M",
      "1.2M",
    ]);
    expect([0, 12.4, 0.0821, 0.00041, 1e-9].map(money)).toEqual(["$0", "$12.40", "$0.082", "$0.00041", "$0.000000"]);
    expect([0, 900, 65_536, 1_300_000].map(bytes)).toEqual(["0 B", "900 B", "64 KB", "1.2 MB"]);
    expect([count(1, "call"), count(2_000, "call"), count(2, "entry", "entries")]).toEqual([
      "1 call",
      "2,000 calls",
      "2 entries",
    ]);
  });

  it("say nothing is nothing and all is all only where it is", () => {
    expect([0, 0.001, 0.5, 0.999, 1].map(percent)).toEqual(["0%", "<1%", "50%", "99%", "100%"]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        expect(percent(share) === "0%").toBe(share === 0);
        expect(percent(share) === "100%").toBe(share === 1);
      }),
    );
  });
});

it("writes times in UTC and durations in two units", () => {
  const at = Date.parse("2026-03-01T14:03:22.000Z");
  expect([timeOfDay(at), dayAndTime(at), timeOfDay(null)]).toEqual(["14:03:22", "2026-03-01 14:03", ""]);
  expect([42, 185, 300, 7_800, 180_000].map((seconds) => duration(1_000 * seconds))).toEqual([
    "42 s",
    "3 min 5 s",
    "5 min",
    "2 h 10 min",
    "2 d 2 h",
  ]);
});
