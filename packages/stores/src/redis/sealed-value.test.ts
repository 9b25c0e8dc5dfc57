import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { valueSeal } from "./sealed-value.ts";

const SECRET = "a secret of thirty-two characters";

describe("R21 a sealed value", () => {
  it("opens only with the tenant, secret and key it was sealed with", () => {
    const key = fc.string({ unit: "grapheme" });
    const tenant = fc.option(fc.string());
    fc.assert(
      fc.property(key, key, fc.string(), tenant, tenant, (one, two, value, here, there) => {
        const sealed = valueSeal(SECRET, here).seal(one, value);
        expect(valueSeal(SECRET, here).open(one, sealed)).toBe(value);
        if (one !== two) expect(valueSeal(SECRET, here).open(two, sealed)).toBeNull();
        if (here !== there) expect(valueSeal(SECRET, there).open(one, sealed)).toBeNull();
        if (here !== there) expect(valueSeal(SECRET, there).name(one)).not.toBe(valueSeal(SECRET, here).name(one));
        expect(valueSeal(`${SECRET}!`, here).open(one, sealed)).toBeNull();
      }),
    );
  });

  it("does not open when any character is changed, cut off or added", () => {
    const seal = valueSeal(SECRET, "tenant");
    const sealed = seal.seal("key", "the value");
    for (let index = 0; index < sealed.length; index++) {
      const other = sealed[index] === "0" ? "1" : "0";
      expect(seal.open("key", sealed.slice(0, index) + other + sealed.slice(index + 1)), `at ${index}`).toBeNull();
      expect(seal.open("key", sealed.slice(0, index))).toBeNull();
    }
    expect(seal.open("key", `${sealed}0`)).toBeNull();
  });
});
