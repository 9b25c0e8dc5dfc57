import { describe as nodeDescribe, it as nodeIt } from "node:test";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forAll } from "./for-all.ts";
import { brokenLaws, keepLaws, type Law, type TestFramework, together } from "./law.ts";
import { runs } from "./runs.ts";

const KEPT: Law = { name: "is kept", broken: () => null };
const BROKEN: Law = { name: "is broken", broken: async () => "what is wrong" };
const THROWN: Law = {
  name: "throws",
  broken: () => {
    throw new TypeError("no such method");
  },
};

/** A test framework that only writes down what it is given. */
function notebook(): TestFramework & { readonly tests: (readonly [string, () => Promise<void>, number])[] } {
  const tests: (readonly [string, () => Promise<void>, number])[] = [];
  let title = "";
  return {
    tests,
    describe: (name, body) => {
      title = name;
      body();
    },
    it: (name, body, timeoutMs) => void tests.push([`${title} ${name}`, body, timeoutMs]),
  };
}

describe("keepLaws", () => {
  it("makes a test of each law, which fails with what the law says or throws", async () => {
    const framework = notebook();
    keepLaws("a part", [KEPT, BROKEN, THROWN], framework);
    expect(framework.tests.map(([name]) => name)).toEqual(["a part is kept", "a part is broken", "a part throws"]);
    const [kept, broken, thrown] = framework.tests.map(([, body]) => body);
    await expect(kept?.()).resolves.toBeUndefined();
    await expect(broken?.()).rejects.toThrow("what is wrong");
    await expect(thrown?.()).rejects.toThrow(TypeError);
  });

  it("gives a law as much time as a busy machine needs", () => {
    const framework = notebook();
    keepLaws("a part", [KEPT], framework);
    expect(framework.tests[0]?.[2]).toBeGreaterThanOrEqual(900_000);
  });

  it("fails where there is nothing to keep", () => {
    expect(() => keepLaws("a part", [], notebook())).toThrow("a part: there is no law to keep");
  });

  it("takes the functions of node:test", () => {
    const framework: TestFramework = { describe: nodeDescribe, it: nodeIt };
    expect(Object.keys(framework)).toEqual(["describe", "it"]);
  });
});

describe("brokenLaws", () => {
  it("names what is broken, and how", async () => {
    expect(await brokenLaws([KEPT, BROKEN, THROWN])).toEqual([
      { name: "is broken", problem: "what is wrong" },
      { name: "throws", problem: "no such method" },
    ]);
  });
});

const isSmall: Law<number> = { name: "is small", broken: (size) => (size < 100 ? null : `${size} is large`) };
const isWhole: Law<number> = { name: "is whole", broken: (size) => (Number.isInteger(size) ? null : "a fraction") };

describe("forAll", () => {
  it("says what breaks a law: a small input, the problem and the seed that makes it again", async () => {
    const [found, ...others] = await brokenLaws(forAll(fc.nat(100_000), [isSmall, isWhole], 200));
    expect(others).toEqual([]);
    expect(found?.name).toBe("is small");
    for (const words of ["Counterexample: [100]", "100 is large", "seed: ", "path: "])
      expect(found?.problem).toContain(words);
  });

  it("says first what is wrong, because inputs may be long", async () => {
    const [said] = await brokenLaws(forAll(fc.nat(100_000), [isSmall], 200));
    expect(said?.problem).toMatch(/^100 is large\n/);
    const throws: Law<number> = { name: "throws", broken: () => THROWN.broken() };
    const [thrown] = await brokenLaws(forAll(fc.nat(), [throws], 1));
    expect(thrown?.problem).toMatch(/^TypeError: no such method\n/);
  });

  it("stops looking for a smaller input after some hundred, for a law may take long", async () => {
    let tries = 0;
    const never: Law<readonly number[]> = { name: "never", broken: () => (tries++, "always broken") };
    const [found] = await brokenLaws(forAll(fc.array(fc.nat(), { minLength: 400, maxLength: 400 }), [never], 1));
    expect(found?.problem).toContain("always broken");
    expect(tries).toBe(201);
  });

  it("tries all laws on the same inputs, each made once, and goes on with the others when one is broken", async () => {
    let made = 0;
    const seen: number[] = [];
    const numbers = fc.nat(100_000).map((number) => (made++, number));
    const sees: Law<number> = { name: "sees", broken: (number) => (seen.push(number), null) };
    const never: Law<number> = { name: "never", broken: () => "always broken" };
    const laws = forAll(numbers, [never, sees, isWhole], 60);
    expect(await laws[1]?.broken()).toBeNull();
    expect(await laws[2]?.broken()).toBeNull();
    expect([made, seen.length]).toEqual([runs(60).numRuns, runs(60).numRuns]);
    expect(await laws[0]?.broken()).toMatch(/^always broken\n/);
  });

  it("reports a law that is broken only once, with the seed of its input", async () => {
    let calls = 0;
    const once: Law<number> = { name: "once", broken: () => (++calls === 5 ? "broken by the fifth" : null) };
    const [found, ...others] = await brokenLaws(forAll(fc.nat(), [isWhole, once], 20));
    expect(found).toEqual({ name: "once", problem: expect.stringMatching(/^broken by the fifth\n.*seed: -?\d+/) });
    expect(others).toEqual([]);
  });

  it("keeps no law that was not tried, where fast-check is told to stop early and to call that a failure", async () => {
    fc.configureGlobal({ interruptAfterTimeLimit: 0, markInterruptAsFailure: true });
    try {
      const found = await brokenLaws(forAll(fc.nat(), [isWhole, isSmall], 50));
      expect(found.map(({ problem }) => problem)).toEqual([1, 2].map(() => expect.stringMatching(/interrupted/i)));
    } finally {
      fc.resetConfigureGlobal();
    }
  });

  it("passes over inputs that a law is not about", async () => {
    const even: Law<number> = { name: "is even", broken: (number) => (fc.pre(number % 2 === 0), null) };
    expect(await brokenLaws(forAll(fc.nat(), [even, isWhole], 40))).toEqual([]);
  });

  it("tries a dear law on as many inputs less as it costs more", async () => {
    const tried = { cheap: 0, dear: 0 };
    const count = (name: keyof typeof tried, cost: number): Law<number> => ({
      ...{ name, cost },
      broken: () => (tried[name]++, null),
    });
    expect(await brokenLaws(forAll(fc.nat(), [count("cheap", 1), count("dear", 25)], 1_000))).toEqual([]);
    expect(tried.cheap).toBeGreaterThan(0);
    expect(tried.cheap).toBe(25 * tried.dear);
  });
});

describe("together", () => {
  it("is broken where one of its laws is, names it, and costs as much as the dearest", async () => {
    const both = together("both", [isWhole, { ...isSmall, cost: 7 }]);
    expect(await both.broken(99)).toBeNull();
    expect(await both.broken(100)).toBe("is small: 100 is large");
    expect([both.name, both.cost]).toEqual(["both", 7]);
  });
});
