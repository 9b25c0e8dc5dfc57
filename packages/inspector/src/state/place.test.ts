import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHash, MODES, type Place, toHash, VIEWS } from "./place.ts";

const ordinal = fc.option(fc.nat(1e8));
const place: fc.Arbitrary<Place> = fc.record({
  view: fc.constantFrom(...VIEWS),
  call: ordinal,
  message: ordinal,
  mode: fc.constantFrom(...MODES),
  query: fc.string({ unit: "grapheme" }),
  plans: fc.option(fc.tuple(fc.nat(1e6), fc.nat(1e6))),
});

describe("a link to a place", () => {
  it("leads back to it", () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(fromHash(toHash(one))).toEqual(one);
      }),
    );
  });

  it("counts calls from 1 and messages by their ordinals", () => {
    expect(toHash({ ...fromHash(""), view: "request", call: 40, message: 12, mode: "difference" })).toBe(
      "#/request?call=41&message=12&mode=difference",
    );
  });

  it("opens the timeline where it says nothing that can be understood", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(VIEWS).toContain(fromHash(`#/${text}`).view);
      }),
    );
    expect(fromHash("#/nowhere?call=0&message=-1&mode=x&plans=1")).toEqual(fromHash(""));
  });
});
