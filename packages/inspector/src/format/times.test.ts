import { expect, it } from "vitest";
import { dayAndTime, duration, timeOfDay } from "./times.ts";

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
