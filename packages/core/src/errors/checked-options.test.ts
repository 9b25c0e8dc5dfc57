import { describe, expect, it } from "vitest";
import { checkArgument, checkOptions, type OptionKind } from "./checked-options.ts";

const nothing = () => undefined;

describe("checkArgument", () => {
  it.each<[OptionKind, readonly unknown[], readonly unknown[]]>([
    ["any", [undefined, 7], []],
    ["flag", [true, false], ["true", 1, null]],
    ["text", ["", "a"], [7, null]],
    ["name", ["a"], ["", 7]],
    ["figure", [0, 1.5, Number.POSITIVE_INFINITY], [-1, Number.NaN, "1"]],
    ["milliseconds", [0, 1], [Number.POSITIVE_INFINITY, -1, Number.NaN, "1", new Date()]],
    ["call", [nothing], [{}, "f"]],
    ["list", [[]], [{}, "a", new Set()]],
    ["object", [{}], [[], null, "a"]],
    ["clock", [{ now: Date.now }], [new Date(), null, {}]],
    ["signal", [new AbortController().signal], [new AbortController(), 7]],
    [
      ["a", "b"],
      ["a", "b"],
      ["c", 7],
    ],
  ])("takes what is of the kind %j, and nothing else", (kind, valid, invalid) => {
    for (const value of valid) expect(() => checkArgument("it", value, kind)).not.toThrow();
    for (const value of invalid)
      expect(() => checkArgument("it", value, kind)).toThrow(
        expect.objectContaining({ code: "INVALID_CONFIG", details: { name: "it" } }),
      );
  });
});

describe("checkOptions", () => {
  const kinds = { limit: "figure", silent: "flag" } as const;
  const check = (options: unknown) => () =>
    checkOptions("options", options as { limit?: number; silent?: boolean }, kinds, {
      place: "config",
      names: () => ["budget"],
    });

  it("takes what has the names and kinds, or leaves them out", () => {
    for (const options of [{}, { limit: 1 }, { limit: undefined, silent: true }]) expect(check(options)).not.toThrow();
  });

  it("asks for the names of another place only when a name is unknown", () => {
    let asked = 0;
    const names = () => [`budget${asked++}`];
    const at = (options: object) => () => checkOptions("options", options, {}, { place: "config", names });
    expect(at({})).not.toThrow();
    expect(asked).toBe(0);
    expect(at({ budget: 1 })).toThrow();
    expect(asked).toBe(1);
  });

  it.each([
    [undefined, "options", /^Its fields: limit, silent\.$/],
    [[], "options", /^Its fields:/],
    [{ limit: "1" }, "limit", /^Pass a number/],
    [{ silnt: true }, "silnt", /^Did you mean silent\?$/],
    [{ budget: 1 }, "budget", /^Did you mean config\.budget\?$/],
    [{ budgt: 1 }, "budgt", /^Did you mean config\.budget\?$/],
    [{ colour: 1 }, "colour", /^Known options: limit, silent\.$/],
  ])("refuses %j and says what was meant", (options, name, hint) => {
    expect(check(options)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: { name }, hint: expect.stringMatching(hint) }),
    );
  });
});
