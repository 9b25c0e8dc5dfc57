import { describe, expect, it } from "vitest";
import { scriptedSession } from "../testing/scripted-log.ts";
import { type Pauses, withPauses } from "./recorded-session.ts";

describe("recordedCalls", () => {
  it("makes one call per answer to a user or tool, with the messages added before it", () => {
    const { calls } = scriptedSession([
      { user: "Look." },
      { calls: "read", id: "a", input: { path: "x" } },
      { result: "text", id: "a" },
      { says: "Seen." },
      { user: "Good." },
    ]);
    expect(calls.map(({ added, answer }) => [added.map(({ id }) => id), answer.map(({ id }) => id)])).toEqual([
      [["m0"], ["m1"]],
      [["m1", "m2"], ["m3"]],
    ]);
  });

  it("treats an answer that was logged between its results as one answer", () => {
    const { calls } = scriptedSession([
      { user: "Look at both." },
      { calls: "read", id: "a", input: { path: "x" } },
      { calls: "read", id: "b", input: { path: "y" } },
      { result: "first", id: "a" },
      { says: "Between the results." },
      { result: "second", id: "b" },
      { says: "Seen." },
    ]);
    expect(calls.map(({ answer }) => answer.map(({ id }) => id))).toEqual([["m1", "m2"], ["m6"]]);
  });

  it("distinguishes calls with the same id by position", () => {
    const step = [
      { calls: "read", id: "again", input: { path: "x" } },
      { result: "text", id: "again" },
    ] as const;
    expect(scriptedSession([{ user: "Look." }, ...step, ...step, ...step]).calls).toHaveLength(3);
  });

  it("gives calls times that never decrease", () => {
    const { calls } = scriptedSession([{ user: "One." }, { says: "1" }, { user: "Two.", after: -60 }, { says: "2" }]);
    expect(calls[1]?.at).toBeGreaterThanOrEqual(calls[0]?.at ?? Number.POSITIVE_INFINITY);
  });
});

describe("recordedSession", () => {
  it("counts one token per four characters of system text and messages", () => {
    const session = scriptedSession([{ user: "12345678" }, { says: "1234" }], ["12345678"]);
    expect(session.tokens).toBe(5);
  });
});

describe("withPauses", () => {
  const session = scriptedSession([{ user: "Go." }, { says: "I go." }, { user: "On." }, { says: "On it." }]);
  const gaps = (pauses: Pauses): readonly number[] => {
    const times = withPauses(session, pauses).calls.map(({ at }) => at);
    return times.slice(1).map((at, index) => at - (times[index] ?? 0));
  };

  it("inserts a fixed pause before user messages, keeps recorded times, or removes pauses", () => {
    expect(withPauses(session, "recorded")).toBe(session);
    expect(gaps(20 * 60_000)).toEqual([20 * 60_000]);
    expect(gaps("none")).toEqual([10_000]);
  });
});
