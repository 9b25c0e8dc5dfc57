import { describe, expect, it } from "vitest";
import { isColourful, painter } from "./paint.ts";

describe("isColourful", () => {
  const cases: readonly [Record<string, string>, boolean, boolean][] = [
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ TERM: "dumb" }, true, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ FORCE_COLOR: "false" }, true, false],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, true],
    [{ FORCE_COLOR: "1", TERM: "dumb" }, false, true],
  ];
  it.each(cases)("with %j and a terminal: %s, gives %s", (env, isTTY, expected) => {
    expect(isColourful(env, isTTY)).toBe(expected);
  });
});

describe("painter", () => {
  it("marks text or leaves it alone", () => {
    expect(painter(true)("red", "x")).toBe("\u001b[31mx\u001b[39m");
    expect(painter(false)("red", "x")).toBe("x");
  });
});
