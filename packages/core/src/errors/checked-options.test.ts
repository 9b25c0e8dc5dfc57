import { describe, expect, it } from "vitest";
import { checkArgument, checkCalls, checkEach, checkOptions, checkStore, type OptionKind } from "./checked-options.ts";

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

describe("checkCalls, checkEach and checkStore", () => {
  const parts = { threads: {}, plans: {}, artifacts: {}, journal: {} };

  it("take what has the methods or the parts, its own or inherited", () => {
    for (const part of [{ now: nothing }, Object.create({ now: nothing })])
      expect(() => checkCalls("it", part, ["now"])).not.toThrow();
    expect(() => checkEach("it", [{ now: nothing }], ["now"])).not.toThrow();
    for (const store of [parts, Object.create(parts)]) expect(() => checkStore(store)).not.toThrow();
  });

  it.each<[string, string, () => void]>([
    ["it.now", "It needs now.", () => checkCalls("it", undefined, ["now"])],
    [
      "it.set",
      "Pass a clock. It needs now, set.",
      () => checkCalls("it", { now: nothing }, ["now", "set"], "Pass a clock."),
    ],
    ["it", "Pass a list.", () => checkEach("it", {} as never, ["now"])],
    ["it[1].now", "It needs now.", () => checkEach("it", [{ now: nothing }, null], ["now"])],
    ["store", "Pass what `await openStore(address)` returned.", () => checkStore(Promise.resolve(parts))],
    [
      "store",
      "Pass what `await openStore(address)` returned.",
      () => checkStore({ threads: {}, plans: {}, artifacts: {} }),
    ],
  ])("refuse %s and say: %s", (name, hint, check) => {
    expect(check).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", details: { name }, hint }));
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
