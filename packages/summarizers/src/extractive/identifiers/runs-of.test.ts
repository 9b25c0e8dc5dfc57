import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runsOf } from "./runs-of.ts";

/** What a run is, in one expression that is slower. */
const RUN = /(?<![\w.\-/@~+À-ԯ])(?=[a-z.\-@~+À-ԯ]*(?:[A-Z0-9_/]|[a-z]\.[a-z]))[\w.\-/@~+À-ԯ]{6,220}/g;

describe("runsOf", () => {
  it("law: a run is long enough and has a capital, a digit, an underscore, a slash, or a dot between letters", () => {
    const sign = fc.constantFrom(..."abcXYZ09_./-@~+ éЖԯ字\n,", "folder/", "word", "a.b", "x".repeat(120));
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 60 }), (text) => {
        expect(runsOf(text)).toEqual(text.match(RUN) ?? []);
      }),
      runs(800),
    );
  });
});
